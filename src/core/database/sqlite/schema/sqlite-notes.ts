// What a state cannot say about a table of SQLite.

import type { CatalogueIndex, CatalogueReference, CatalogueTable } from './sqlite-table.ts'
import type { ColumnText } from './table-text.ts'

/** Returns a sentence for each thing that the state of the table leaves out. */
export function noteTable({
  text,
  columns,
  indexes,
  references,
  triggers,
  isWithoutRowId,
  isStrict,
}: CatalogueTable): readonly string[] {
  const nullableKeys = isWithoutRowId
    ? []
    : columns.filter(({ pk, notnull, type }) => pk > 0 && notnull === 0 && !/^integer$/i.test(type))
  const all = [...text.columns.flatMap(({ clauses }) => clauses), ...text.constraints]
  return [
    ...(isWithoutRowId ? ['the table is WITHOUT ROWID'] : []),
    ...(isStrict ? ['the table is STRICT'] : []),
    ...(all.some(({ kind }) => kind === 'primary') ? [] : ['the table has no primary key']),
    ...nullableKeys.map(({ name }) => `the key column "${name}" may be null`),
    ...text.columns.flatMap(noteColumn),
    ...all.filter(clause => /\bon\s+conflict\b/i.test(clause.text)).map(clause => `the constraint "${clause.text}"`),
    ...indexes.flatMap(noteIndex),
    ...references.flatMap(noteReference),
    ...triggers.map(name => `the trigger "${name}"`),
  ]
}

function noteColumn({ name, clauses }: ColumnText): readonly string[] {
  const start = `the column "${name}"`
  return clauses.flatMap(({ kind, text }) => {
    if (kind === 'collate') return [`${start} has the collation ${text.replace(/^collate\s+/i, '')}`]
    const isGenerated = kind === 'generated' || kind === 'as'
    return isGenerated && !/\bstored$/i.test(text) ? [`${start} is computed when it is read`] : []
  })
}

function noteIndex({ name, parts }: CatalogueIndex): readonly string[] {
  if (parts.some(part => part.name === null)) return [`the index "${name}" contains an expression`]
  return parts
    .filter(({ collation }) => collation !== 'BINARY')
    .map(({ collation }) => `the index "${name}" has the collation ${collation}`)
}

function noteReference({ columns, table, onDelete, onUpdate }: CatalogueReference): readonly string[] {
  const start = `the reference to "${table}"`
  if (columns.length > 1) return [`${start} has several columns: ${columns.join(', ')}`]
  return [
    ...(onDelete === 'set default' ? [`${start} sets the default if the row that it refers to is deleted`] : []),
    ...(onUpdate === 'no action' || onUpdate === 'restrict' ? [] : [`${start} follows changes of the key`]),
  ]
}
