// What the owner of a subscription sees of changes, with the rights that the owner has at that time.

import { APIException, type Database, type FindRowEvents, formatDateTime, type Resource, ValidationError } from '#core'
import type { FindUser, JobContext } from '../job.ts'

/** A subscription, as the jobs read it. */
export interface Subscription {
  readonly id: number
  readonly ownerId: number | string
  readonly url: string
  readonly resource: string
  readonly events: readonly string[]
  readonly filter: string
  /** The newest one first. */
  readonly secrets: readonly string[]
  readonly isActive: boolean
  readonly hasFailures: boolean
}

/** Turns a row into a subscription. */
export function toSubscription(row: Readonly<Record<string, unknown>>, now: Date): Subscription {
  const { events, previous_secret: previous, previous_until: until } = row
  const isValid = previous !== null && until !== null && new Date(until as string) > now
  return {
    id: Number(row.id),
    ownerId: row.owner_id as number | string,
    url: row.url as string,
    resource: row.resource as string,
    events: typeof events === 'string' ? JSON.parse(events) : events,
    filter: row.filter as string,
    secrets: [row.secret as string, ...(isValid ? [previous as string] : [])],
    isActive: Boolean(row.active),
    hasFailures: Number(row.failures) > 0,
  }
}

export interface FollowOptions {
  readonly resources: readonly Resource[]
  readonly findUser: FindUser | undefined
}

/**
 * What finds the events of a subscription; undefined if its owner may not read the list now. Switches the subscription off if that can
 * never change by itself.
 */
export async function followAsOwner(
  subscription: Subscription,
  context: JobContext,
  { resources, findUser = context.findUser }: FollowOptions,
): Promise<FindRowEvents | undefined> {
  if (findUser === undefined)
    throw new Error('createWebhooks(): the owner of a subscription cannot be found: set "findUser"')
  const resource = resources.find(({ name }) => name === subscription.resource)
  const user = await findUser(subscription.ownerId)
  const database = context.view.connection()
  const switchOff = (reason: string) => switchOffWebhook(database, subscription, reason, context.view.clock())
  if (resource === undefined) return switchOff(`There are no webhooks of ${subscription.resource}.`)
  if (user === undefined) return switchOff('The owner does not exist, or may not log in.')
  try {
    const asOwner = { ...context, user, auth: null, ignoresPermissions: false }
    return await context.view.calls.followList(resource, subscription.filter, asOwner)
  } catch (error) {
    if (error instanceof ValidationError) return switchOff(`The filter is not valid: ${JSON.stringify(error.detail)}`)
    if (error instanceof APIException) return undefined
    throw error
  }
}

export async function switchOffWebhook(
  database: Database,
  { id }: Pick<Subscription, 'id'>,
  reason: string,
  now: Date,
): Promise<undefined> {
  await database.transaction(({ kysely }) =>
    kysely
      .updateTable('webhooks')
      .set({ active: false, reason: reason.slice(0, 500), switched_off_at: formatDateTime(now)! })
      .where('id', '=', id)
      .where('active', '=', true)
      .execute(),
  )
}
