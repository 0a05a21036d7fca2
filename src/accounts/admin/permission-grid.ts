import { type ChoiceGrid, nameList, type Resource } from '#core'
import { formatPermission, grantActions } from '../granted-permissions.ts'
import { accountModels, grantNames } from '../permission-names.ts'

/** The permissions that can be granted, and the table in which pages show them. */
export interface GrantablePermissions {
  readonly choices: readonly string[]
  readonly grid: ChoiceGrid
}

/** The permissions of users, groups and these resources, as a table of resources, and what may be done with them. */
export function listGrantablePermissions(resources: readonly Pick<Resource, 'name' | 'pages'>[]): GrantablePermissions {
  const rows = {
    ...accountModels,
    ...Object.fromEntries(resources.map(resource => [resource.name, nameList(resource)])),
  }
  const choices = Object.keys(rows).flatMap(model => grantActions.map(grant => formatPermission(grant, model)))
  return { choices, grid: { columns: grantNames, rows } }
}
