// The representations of new rows that contain nothing but the key and columns that store each value as it was written. They
// are made from the written values, so the database returns only the keys (decision 004).

import type { FormatWritten } from '../../database/written-values.ts'
import type { Field } from '../../fields/field.ts'
import { isShownAsWritten } from '../../fields/shown-as-written.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { BoundResource } from '../bound-resource.ts'
import type { ManyStatements } from '../sql/many.ts'
import { storageColumn } from '../storage.ts'
import type { RowValues } from './row-writer.ts'

/** The format of the representations. */
export interface KnownFormat {
  /** The beginning of a representation, before its key. */
  readonly start: string
  /** The values of a row after its key; undefined if the database may show one of them otherwise. */
  formatRest(row: RowValues): string | undefined
  /** False once the table has triggers or the like. */
  isPlain: boolean
}

// Made with the first insert, because the tables are known only when Fastify is ready.
const formats = new WeakMap<ManyStatements, KnownFormat | { readonly isPlain: false }>()

/** The format of the resource's representations; undefined if the database must make them. */
export function findKnownFormat(bound: BoundResource, statements: ManyStatements): KnownFormat | undefined {
  const found = formats.get(statements) ?? createKnownFormat(bound, statements.columns) ?? { isPlain: false }
  formats.set(statements, found)
  return found.isPlain ? (found as KnownFormat) : undefined
}

/** A member of a representation. */
interface Member {
  /** The name, and what separates it from the member before it. */
  readonly start: string
  /** The place of the value in a row. */
  readonly index: number
  readonly format: FormatWritten
}

function createKnownFormat(bound: BoundResource, columns: readonly string[]): KnownFormat | undefined {
  const { resource, plans, related } = bound
  const { key, lookup, table } = resource
  const [first, ...others] = Object.entries(plans.create.shows).filter(
    ([, field]) => related.isShown(field) && !field.writeOnly,
  )
  const isSequence = key.source === 'database' && key.type === 'integer'
  const isKeyFirst = first !== undefined && first[1].keyColumn === key.column && isShownAsWritten(first[1])
  if (!isSequence || !isKeyFirst || (lookup ?? key.publicIdentifier) !== undefined || table.includes('.'))
    return undefined
  const members = others.flatMap(([name, field]) => createMember(bound, columns, name, field) ?? [])
  if (members.length < others.length) return undefined
  return {
    start: `{${JSON.stringify(nameOnWire(...first))}:`,
    formatRest: row => formatMembers(members, row),
    isPlain: true,
  }
}

function createMember(
  { resource, tables, database }: BoundResource,
  columns: readonly string[],
  name: string,
  field: Field,
): Member | undefined {
  const stored = storageColumn(name, field)
  const column = stored === undefined ? undefined : tables.get(resource.table)?.column(stored)
  const index = stored === undefined ? -1 : columns.indexOf(stored)
  if (column === undefined || index < 0 || !isShownAsWritten(field)) return undefined
  const format = database.dialect.findWrittenFormat(column, field.type)
  return format && { start: `,${JSON.stringify(nameOnWire(name, field))}:`, index, format }
}

function formatMembers(members: readonly Member[], row: RowValues): string | undefined {
  let text = ''
  for (const { start, index, format } of members) {
    const value = format(row[index]!)
    if (value === undefined) return undefined
    text += start + value
  }
  return `${text}}`
}
