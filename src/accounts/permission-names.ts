// The words of permissions on pages, such as "Users: view, change".

import { type MessageText, nameList } from '#core'
import type { Grant } from './granted-permissions.ts'
import { accountMessages } from './messages.ts'

/** The words of what can be granted, in the order in which pages show them. */
export const grantNames = {
  view: accountMessages('grant.view'),
  add: accountMessages('grant.add'),
  change: accountMessages('grant.change'),
  delete: accountMessages('grant.delete'),
} as const satisfies Readonly<Record<Grant, MessageText>>

/** The names of the models of this part. */
export const accountModels = {
  users: accountMessages('name.users.many'),
  groups: accountMessages('name.groups.many'),
} as const

/** The name of a model; that of an application is its title. */
export const nameModel = (model: string) =>
  Object.hasOwn(accountModels, model) ? accountModels[model as keyof typeof accountModels] : nameList({ name: model })
