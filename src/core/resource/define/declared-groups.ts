// The option `fieldGroups` of a resource.

import { adviseName } from '../../base/nearest-name.ts'
import type { Fields } from '../../fields/field.ts'
import { type FieldGroup, type FieldGroups, listGroups } from '../../fields/field-groups.ts'
import { nameOnWire } from '../../fields/wire-names.ts'

/** The groups with the names of fields on the wire. */
export const groupsOnWire = (groups: FieldGroups, fields: Fields): readonly FieldGroup[] =>
  listGroups(groups).map(({ heading, names }) => ({
    heading,
    names: names.map(name => nameOnWire(name, fields[name]!)),
  }))

/** Throws for a name that is no field, or that is in two groups. */
export function checkFieldGroups(fields: Fields, groups: FieldGroups): void {
  const seen = new Map<string, string>()
  for (const [heading, group] of Object.entries(groups)) {
    const names = Array.isArray(group) ? group : Object(group).fields
    const where = `fieldGroups: "${heading}"`
    // Node runs TypeScript without checking types.
    if (!Array.isArray(names)) throw new Error(`${where} must be a list: write [${JSON.stringify(group)}]`)
    for (const name of names) {
      if (!Object.hasOwn(fields, name))
        throw new Error(`${where}: there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
      if (seen.has(name))
        throw new Error(`${where}: field "${name}" is in the group "${seen.get(name)}" already: remove it from one`)
      seen.set(name, heading)
    }
  }
}
