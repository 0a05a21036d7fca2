// Refuses permissions that decide nothing. Without `allows`, a permission allows every caller, so a misspelt one, or a value
// that is not a permission, would open a view.

import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import type { Permission } from './permission.ts'

/** Throws for a value that is not a permission, or that does not decide anything. `where` begins the message. */
export function checkPermission(where: string, permission: Permission<never>): void {
  // A class may have properties of its own.
  if (Object.getPrototypeOf(permission) === Object.prototype) checkOptionNames(where, permission, permissionOptions)
  for (const name of functionNames)
    if (permission[name] !== undefined && typeof permission[name] !== 'function')
      throw new Error(`${where}: "${name}" must be a function, such as ${name}: ${functionExamples[name]}`)
  const { columns = [], filter, allows, allowsObject } = permission
  if (!Array.isArray(columns)) throw new Error(`${where}: "columns" must be a list: write [${JSON.stringify(columns)}]`)
  if (filter !== undefined && (typeof filter?.where !== 'function' || typeof filter.values !== 'function'))
    throw new Error(`${where}: "filter" must have the functions "where" and "values": create it with rowFilter()`)
  if (allows === undefined && allowsObject === undefined && filter === undefined)
    throw new Error(`${where} decides nothing: give it "allows", "allowsObject" or "filter", or write allowAny`)
}

const functionNames = ['allows', 'allowsObject', 'challenge', 'negated'] as const

const functionExamples: Readonly<Record<(typeof functionNames)[number], string>> = {
  allows: '({ user }) => user.isStaff',
  allowsObject: '({ user }, object) => object.owner_id === user.id',
  challenge: '() => \'Bearer scope="write"\'',
  negated: '() => allowAny',
}

const permissionOptions: OptionNames<Permission> = {
  message: true,
  code: true,
  audience: true,
  challenge: true,
  allows: true,
  allowsObject: true,
  columns: true,
  allowsSafe: true,
  checksWritten: true,
  filter: true,
  authenticated: true,
  negated: true,
  forTable: true,
}
