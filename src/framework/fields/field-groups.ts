// Groups of fields on pages: fieldsets of forms, and sections of objects.

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
