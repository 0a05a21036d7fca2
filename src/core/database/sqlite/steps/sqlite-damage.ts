// Compares the states before and after a step, and describes in a sentence what the step damaged.

import { type DatabaseState, type Orphans, type Reference, toKey } from './sqlite-state.ts'

/** The changes of a step, with names in lower case. */
export interface StepTrace {
  /** The tables that it created, even if they exist no longer. */
  readonly created: ReadonlySet<string>
  /** The tables and views that it dropped, even if others have their names now. */
  readonly dropped: ReadonlySet<string>
  /** The indexes and triggers that it dropped itself. */
  readonly removed: ReadonlySet<string>
}

/** Returns undefined if the step damaged nothing. Damage from before the step is left out. */
export function describeDamage(before: DatabaseState, after: DatabaseState, trace: StepTrace): string | undefined {
  return (
    describeBrokenReference(before, after, trace) ??
    describeLostRows(before, after, trace) ??
    describeOrphans(before, after) ??
    describeErrors(before, after)
  )
}

// A reference to a table that a later step creates is allowed.
function describeBrokenReference(
  before: DatabaseState,
  after: DatabaseState,
  { created }: StepTrace,
): string | undefined {
  const isMissing = ({ objects }: DatabaseState, { target }: Reference) => !objects.has(toKey(target))
  const findBefore = ({ table, column }: Reference) =>
    before.references.filter(other => toKey(other.table) === toKey(table) && toKey(other.column) === toKey(column))
  const isBroken = (reference: Reference) => {
    const target = toKey(reference.target)
    const earlier = findBefore(reference)
    return (
      isMissing(after, reference) &&
      (before.objects.has(target) || created.has(target) || earlier.some(other => !isMissing(before, other)))
    )
  }
  const broken = after.references.find(isBroken)
  return (
    broken &&
    `the column "${broken.column}" of "${broken.table}" now refers to the table "${broken.target}", which does not exist: remove the column, or, to change a table, create the new one under another name, copy the rows, drop the old one, and then rename the new one`
  )
}

function describeLostRows(
  before: DatabaseState,
  after: DatabaseState,
  { created, dropped }: StepTrace,
): string | undefined {
  // If the step has renamed a table, a new one may have its name.
  const isSameTable = (name: string) => !dropped.has(toKey(name)) && !created.has(toKey(name))
  const referring = before.references.filter(
    ({ table, target }) => dropped.has(toKey(target)) && before.objects.has(toKey(target)) && isSameTable(table),
  )
  const lost = [...new Map(referring.map(reference => [toKey(reference.table), reference]))].flatMap(
    ([key, { table, target }]) => {
      const [count, earlier] = [after.counts.rows.get(key), before.counts.rows.get(key) ?? 0]
      return count === undefined || count >= earlier ? [] : [{ table, target, count, earlier }]
    },
  )
  if (lost.length === 0) return undefined
  const texts = lost.map(
    ({ table, target, count, earlier }) =>
      `"${table}", which refers to "${target}", has ${count} of ${earlier} rows left`,
  )
  return `it drops or rebuilds a table, and ${texts.join(', and ')}: if these rows are to be deleted, delete them in a step of its own`
}

function describeOrphans(before: DatabaseState, after: DatabaseState): string | undefined {
  const sum = ({ counts }: DatabaseState) => counts.orphans.reduce((total, { count }) => total + count, 0)
  if (sum(after) <= sum(before)) return undefined
  const countBefore = ({ table, target }: Orphans) =>
    before.counts.orphans.find(other => other.table === table && other.target === target)?.count ?? 0
  const added = after.counts.orphans
    .map(orphans => ({ ...orphans, count: orphans.count - countBefore(orphans) }))
    .filter(({ count }) => count > 0)
  const texts = added.map(
    ({ table, target, count }) =>
      `${count} ${count === 1 ? 'row of' : 'rows of'} "${table}" would refer to rows of "${target}" that do not exist`,
  )
  return `${texts.join(', and ')}: copy all rows of a table, and delete or change the rows that refer to a row before the row itself, because "on delete" has no effect in a step`
}

function describeErrors(before: DatabaseState, after: DatabaseState): string | undefined {
  const [broken] = [...after.errors].filter(([key, error]) => before.errors.get(key) !== error)
  if (broken === undefined) return undefined
  const [key, error] = broken
  const { type, name } = after.objects.get(key)!
  return type === 'view'
    ? `the view "${name}" could no longer be used (${error}): drop it at the beginning of the step, and create it again at the end`
    : `the table "${name}" could no longer be written (${error}): drop the triggers that need what the step removes, or keep the columns to which foreign keys refer unique`
}
