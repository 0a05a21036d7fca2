// Groups of fields on pages: fieldsets of forms, and sections of objects.

import type { MessageText } from '../messages/english.ts'

/**
 * The declared groups: the names of the fields of each group by its heading; or by any name with a `title`, which may be a
 * message of a catalogue.
 */
export type FieldGroups<Name extends string = string> = Readonly<
  Record<string, readonly Name[] | { readonly title: MessageText; readonly fields: readonly Name[] }>
>

/** The fields of a group. */
export interface FieldGroup {
  /** Undefined for the fields without a group, which come first. */
  readonly heading: MessageText | undefined
  readonly names: readonly string[]
}

/** Groups those of the names that exist; groups without any are left out. */
export function groupNames(names: readonly string[], groups: readonly FieldGroup[]): readonly FieldGroup[] {
  const grouped = new Set(groups.flatMap(group => group.names))
  const ungrouped = { heading: undefined, names: names.filter(name => !grouped.has(name)) }
  const declared = groups.map(({ heading, names: members }) => ({
    heading,
    names: members.filter(name => names.includes(name)),
  }))
  return [ungrouped, ...declared].filter(group => group.names.length > 0)
}

/** The groups of a declaration, in its order. */
export const listGroups = (groups: FieldGroups): readonly FieldGroup[] =>
  Object.entries(groups).map(([name, group]) =>
    isTitled(group) ? { heading: group.title, names: group.fields } : { heading: name, names: group },
  )

const isTitled = (group: FieldGroups[string]): group is Exclude<typeof group, readonly string[]> =>
  !Array.isArray(group)
