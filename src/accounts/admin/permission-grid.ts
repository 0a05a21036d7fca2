import type { ChoiceGrid, MessageText, Resource } from 'resource-api'
import { nameList } from 'resource-api/extend'
import { formatPermission, type Grant, grantActions } from '../granted-permissions.ts'
import { accountMessages } from '../messages.ts'

/** The permissions that can be granted, and the table in which pages show them. */
export interface GrantablePermissions {
  readonly choices: readonly string[]
  readonly grid: ChoiceGrid
}

const columns: Readonly<Record<Grant, MessageText>> = {
  view: accountMessages('grant.view'),
  add: accountMessages('grant.add'),
  change: accountMessages('grant.change'),
  delete: accountMessages('grant.delete'),
}

/** The permissions of users, groups and these resources, as a table of resources, and what may be done with them. */
export function listGrantablePermissions(
  resources: readonly Pick<Resource, 'name' | 'pageNames'>[],
): GrantablePermissions {
  const own = { users: accountMessages('name.users.many'), groups: accountMessages('name.groups.many') }
  const rows = { ...own, ...Object.fromEntries(resources.map(resource => [resource.name, nameList(resource)])) }
  const choices = Object.keys(rows).flatMap(model => grantActions.map(grant => formatPermission(grant, model)))
  return { choices, grid: { columns, rows } }
}
