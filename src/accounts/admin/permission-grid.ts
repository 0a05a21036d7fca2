import type { ChoiceGrid } from 'resource-api'
import type { Grant } from '../granted-permissions.ts'
import { accountMessages } from '../messages.ts'

const columns: Readonly<Record<Grant, ReturnType<typeof accountMessages>>> = {
  view: accountMessages('grant.view'),
  add: accountMessages('grant.add'),
  change: accountMessages('grant.change'),
  delete: accountMessages('grant.delete'),
}

/** Permissions as a table of resources, and what may be done with them. */
export const permissionGrid: ChoiceGrid = { columns }
