// Groups of fields on pages: fieldsets of forms, and sections of objects.

import { adviseName } from '../nearest-name.ts'
import type { Fields } from './field.ts'
import { nameOnWire } from './wire-names.ts'

/** The names of the fields of each group, by its heading. */
export type FieldGroups = Readonly<Record<string, readonly string[]>>

/** The fields of a group. */
export interface FieldGroup {
  /** Undefined for the fields without a group, which come first. */
  readonly heading: string | undefined
  readonly names: readonly string[]
}

/** Groups those of the names that exist; groups without any are left out. */
export function groupNames(names: readonly string[], groups: FieldGroups): readonly FieldGroup[] {
  const grouped = new Set(Object.values(groups).flat())
  const ungrouped = { heading: undefined, names: names.filter(name => !grouped.has(name)) }
  const declared = Object.entries(groups).map(([heading, members]) => ({
    heading,
    names: members.filter(name => names.includes(name)),
  }))
  return [ungrouped, ...declared].filter(group => group.names.length > 0)
}

/** The groups with the names of fields on the wire. */
export const groupsOnWire = (groups: FieldGroups, fields: Fields): FieldGroups =>
  Object.fromEntries(
    Object.entries(groups).map(([heading, names]) => [heading, names.map(name => nameOnWire(name, fields[name]!))]),
  )

/** Throws for a name that is no field, or that is in two groups. */
export function checkFieldGroups(fields: Fields, groups: FieldGroups): void {
  const seen = new Map<string, string>()
  for (const [heading, names] of Object.entries(groups)) {
    const where = `fieldGroups: "${heading}"`
    // Node runs TypeScript without checking types.
    if (!Array.isArray(names)) throw new Error(`${where} must be a list: write [${JSON.stringify(names)}]`)
    for (const name of names) {
      if (!Object.hasOwn(fields, name))
        throw new Error(`${where}: there is no field "${name}"${adviseName(name, Object.keys(fields))}`)
      if (seen.has(name))
        throw new Error(`${where}: field "${name}" is in the group "${seen.get(name)}" already: remove it from one`)
      seen.set(name, heading)
    }
  }
}
