// The words of the audit log for its events, outcomes and actions.

import type { MessageText } from '#core'
import { accountMessages } from '../messages.ts'
import type { builtInEvents, outcomes } from './audit.ts'

const eventLabels: Readonly<Record<(typeof builtInEvents)[number], MessageText>> = {
  login: accountMessages('event.login'),
  logout: accountMessages('event.logout'),
  'token made': accountMessages('event.token_made'),
  'token revoked': accountMessages('event.token_revoked'),
  'session ended': accountMessages('event.session_ended'),
  'account changed': accountMessages('event.account_changed'),
  'secret changed': accountMessages('event.secret_changed'),
  authentication: accountMessages('event.authentication'),
  'permission denied': accountMessages('event.permission_denied'),
  throttled: accountMessages('event.throttled'),
  'object created': accountMessages('event.object_created'),
  'object changed': accountMessages('event.object_changed'),
  'object deleted': accountMessages('event.object_deleted'),
}

/** The label of an event; that of an application is its own label. */
export const labelEvent = (event: string): MessageText =>
  Object.hasOwn(eventLabels, event) ? eventLabels[event as keyof typeof eventLabels] : event

export const outcomeLabels: Readonly<Record<(typeof outcomes)[number], MessageText>> = {
  success: accountMessages('outcome.success'),
  failure: accountMessages('outcome.failure'),
}

/** The labels of the actions that change an object. */
export const actionLabels = {
  create: accountMessages('change.create'),
  update: accountMessages('change.update'),
  destroy: accountMessages('change.destroy'),
}
