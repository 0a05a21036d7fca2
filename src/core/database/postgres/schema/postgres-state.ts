// Reads the tables of PostgreSQL as a state, and notes what a state cannot say about them.

import { type Kysely, sql } from 'kysely'
import { parseDefault } from '../../editors/definitions.ts'
import { normalizeReference, normalizeTable } from '../../editors/normalize.ts'
import type { ExistingState } from '../../editors/schema-editor.ts'
import type {
  ColumnState,
  ColumnType,
  DefaultValue,
  IndexState,
  ReferenceState,
  TableState,
} from '../../schema/schema-state.ts'
import { toUtc } from '../postgres-times.ts'
import { definitions } from './postgres-definitions.ts'
import { noteTable } from './postgres-notes.ts'
import { type CatalogueColumn, type CatalogueTable, tablesQuery, viewsQuery } from './postgres-state-queries.ts'
import { canonicalType, readType } from './postgres-types.ts'

export async function readState(kysely: Kysely<unknown>, names?: readonly string[]): Promise<ExistingState> {
  const run = async <Row>(text: string) => (await sql.raw<Row>(text).execute(kysely)).rows
  const tables = await run<CatalogueTable>(tablesQuery(names))
  const views = await run<{ name: string; sql: string }>(viewsQuery(names))
  return {
    tables: Object.fromEntries(tables.map(table => [table.name, toState(table)])),
    views: Object.fromEntries(views.map(({ name, sql: text }) => [name, text.trim().replace(/;$/, '')])),
    notes: Object.fromEntries(tables.map(table => [table.name, noteTable(table)])),
  }
}

const toState = ({ columns, key, indexes, checks, references }: CatalogueTable): TableState => ({
  columns: Object.fromEntries(
    columns.map(column => {
      const reference = references.find(({ columns: [own, ...others] }) => own === column.name && others.length === 0)
      return [column.name, toColumn(column, reference && toReference(reference))]
    }),
  ),
  key,
  indexes: Object.fromEntries(
    indexes
      .filter(({ columns: parts, method }) => method === 'btree' && parts.every(part => part.name !== null))
      .map(({ name, columns: parts, unique, where }): [string, IndexState] => [
        name,
        {
          columns: parts.map(part => `${part.descending ? '-' : ''}${part.name}`),
          ...(unique && { unique: true }),
          ...(where !== null && { where }),
        },
      ]),
  ),
  checks: Object.fromEntries(checks.map(({ name, sql: text }) => [name, text])),
})

function toColumn(column: CatalogueColumn, references: ReferenceState | undefined): ColumnState {
  const type = readType(column)
  return {
    type,
    ...(!column.notNull && { nullable: true }),
    ...(type !== 'key' && column.default !== null && { default: readDefault(type, withoutCast(column.default)) }),
    ...(column.generated !== null && { generated: column.generated }),
    ...(references && { references }),
  }
}

function readDefault(type: ColumnType, text: string): DefaultValue {
  const value = parseDefault(text, 'CURRENT_TIMESTAMP')
  return type === 'dateTime' && typeof value === 'string' ? (toUtc(value) ?? value) : value
}

// PostgreSQL writes the type of each literal: 'draft'::text, '-1'::integer.
function withoutCast(text: string): string {
  if (/^now\(\)$/i.test(text)) return 'CURRENT_TIMESTAMP'
  const [, literal, type] = /^('(?:[^']|'')*'|-?[\d.]+)::([a-z ]+)(?:\(\d+(?:,\d+)?\))?$/s.exec(text) ?? []
  if (literal === undefined) return text
  const isNumber = /^(?:smallint|integer|bigint|numeric|real|double precision)$/.test(type!)
  return isNumber ? literal.replaceAll("'", '') : literal
}

const toReference = ({ table, targets, onDelete }: CatalogueTable['references'][number]): ReferenceState => ({
  table,
  ...(targets[0] !== 'id' && { column: targets[0]! }),
  ...(onDelete === 'c' && { onDelete: 'cascade' }),
  ...(onDelete === 'n' && { onDelete: 'set null' }),
})

/** The table as `readState` describes it once it exists, apart from the SQL in it. */
export const normalize = (table: TableState): TableState => normalizeTable(table, definitions, normalizeColumn)

export function normalizeColumn({ type, nullable, default: value, generated, references }: ColumnState): ColumnState {
  const normal: ColumnType = canonicalType(type)
  return {
    type: normal,
    ...(nullable && normal !== 'key' && { nullable }),
    ...(value !== undefined && { default: readDefault(normal, definitions.formatDefault(value)) }),
    ...(generated !== undefined && { generated: definitions.pick(generated) }),
    ...(references && { references: normalizeReference(references) }),
  }
}
