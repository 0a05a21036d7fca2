// What a state cannot say about a table of PostgreSQL.

import type { CatalogueColumn, CatalogueIndex, CatalogueReference, CatalogueTable } from './postgres-state-queries.ts'

/** Returns a sentence for each thing that the state of the table leaves out. */
export function noteTable(table: CatalogueTable): readonly string[] {
  const { kind, isPartition, columns, key, indexes, checks, references, triggers, exclusions } = table
  return [
    ...(kind === 'p' ? ['the table is partitioned'] : []),
    ...(isPartition ? ['the table is a partition of another table'] : []),
    ...(key.length === 0 ? ['the table has no primary key'] : []),
    ...columns.flatMap(noteColumn),
    ...indexes.flatMap(noteIndex),
    ...references.flatMap(noteReference),
    ...checks
      .filter(({ isValid }) => !isValid)
      .map(({ name }) => `the check "${name}" is not validated, so rows may violate it`),
    ...triggers.map(name => `the trigger "${name}"`),
    ...exclusions.map(name => `the exclusion constraint "${name}"`),
  ]
}

function noteColumn({ name, type, typeKind, collation, isIdentity, ...column }: CatalogueColumn): readonly string[] {
  const start = `the column "${name}"`
  const isSerial = column.ownsSequence && !isIdentity
  return [
    ...(typeKind === 'e' ? [`${start} has the enum type ${type}`] : []),
    ...(typeKind === 'd' ? [`${start} has the domain ${type}`] : []),
    ...(collation === null || collation === 'C' ? [] : [`${start} has the collation "${collation}"`]),
    ...((isSerial || isIdentity) && type !== 'bigint' ? [`${start} is a key of the type ${type}`] : []),
    ...(column.default?.startsWith('nextval(') && !column.ownsSequence
      ? [`${start} takes its default from a sequence that does not belong to it`]
      : []),
    ...(column.isVirtual ? [`${start} is computed when it is read`] : []),
  ]
}

function noteIndex({ name, method, isValid, columns }: CatalogueIndex): readonly string[] {
  const start = `the index "${name}"`
  if (method !== 'btree') return [`${start} has the method ${method}`]
  if (columns.some(column => column.name === null)) return [`${start} contains an expression`]
  return [
    ...(columns.every(({ isUsual }) => isUsual)
      ? []
      : [`${start} has another order, collation or operator class than usual, or further columns`]),
    ...(isValid ? [] : [`${start} is not valid, because its build was interrupted`]),
  ]
}

function noteReference({ name, columns, onDelete, onUpdate, isDeferrable }: CatalogueReference): readonly string[] {
  const start = `the reference "${name}"`
  if (columns.length > 1) return [`${start} has several columns: ${columns.join(', ')}`]
  return [
    ...(onDelete === 'd' ? [`${start} sets the default if the row that it refers to is deleted`] : []),
    ...(onUpdate === 'a' || onUpdate === 'r' ? [] : [`${start} follows changes of the key`]),
    ...(isDeferrable ? [`${start} is checked at the commit`] : []),
  ]
}
