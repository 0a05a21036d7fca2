// What the declarations of existing tables say: their names, columns and keys, and what they leave out.

import type { CatalogueTable, ColumnType, ExistingState } from '#core'
import { type ColumnState, canBeKey, type Declared, describeColumn } from './describe-column.ts'
import type { Django } from './django.ts'
import { findField, type InspectedDatabase } from './find-field.ts'
import { nameConstants } from './name-constants.ts'

export type TableState = ExistingState['tables'][string]

export interface InspectOptions {
  /** The database whose types count; default: `sqlite`. */
  readonly database?: InspectedDatabase
  /** The tables in the catalogue, which knows more about types than their names. */
  readonly catalogue?: ReadonlyMap<string, CatalogueTable>
  /** Set if Django made the tables. */
  readonly django?: Django | undefined
}

export interface DeclaredColumn extends Declared {
  /** The name in the declaration. */
  readonly name: string
  readonly column: string
  readonly state: ColumnState
}

/** A table with what its declaration says about it. */
export interface DeclaredTable {
  readonly name: string
  /** The name of the constant. */
  readonly constant: string
  readonly state: TableState
  readonly columns: readonly DeclaredColumn[]
  /** The column that is the whole key, and can be that of a resource. */
  readonly key: string | undefined
  /** What the declaration does not say, as sentences. */
  readonly notes: readonly string[]
  /** False: a difference to the declaration would be a change of the table. */
  readonly isManaged: boolean
}

/** Declares the tables that have a primary key. */
export function declareTables({ tables, notes }: ExistingState, options: InspectOptions): readonly DeclaredTable[] {
  const names = Object.keys(tables).filter(name => tables[name]!.key.length > 0)
  const constants = nameConstants(names, options.django?.nameTable)
  const keys = new Map(names.map(name => [name, findKey(name, tables[name]!, options)]))
  return names.map(name => {
    const state = tables[name]!
    const key = keys.get(name)
    const types = new Map(
      Object.entries(state.columns).map(([column, each]) => [column, findReferredType(each, tables, keys, options)]),
    )
    const columns = Object.entries(state.columns).map(([column, each]): DeclaredColumn => {
      const referredType = types.get(column)
      const place = {
        isKey: column === key,
        name: referredType === undefined ? column : nameReference(column, state),
        referredType,
        ...findFacts(name, column, options),
      }
      return { name: place.name, column, state: each, ...describeColumn(column, each, place) }
    })
    const lost = columns.filter(({ state: { references }, field }) => references !== undefined && field !== undefined)
    return {
      name,
      constant: constants.get(name)!,
      state,
      columns,
      key,
      isManaged: options.django === undefined && lost.length === 0,
      notes: [...notes[name]!, ...lost.map(noteReference)],
    }
  })
}

const findFacts = (table: string, column: string, { database = 'sqlite', catalogue, django }: InspectOptions) => ({
  database,
  column: catalogue?.get(table)?.column(column),
  known: django?.fields.get(`${table}.${column}`),
})

function findKey(table: string, { key, columns }: TableState, options: InspectOptions): string | undefined {
  const [column, ...others] = key
  if (column === undefined || others.length > 0) return undefined
  const { known, database, column: found } = findFacts(table, column, options)
  return canBeKey(known ?? findField(columns[column]!.type, database, found)) ? column : undefined
}

/** The type that a reference gets from the key to which it refers; undefined if no declared table has this key. */
function findReferredType(
  { references }: ColumnState,
  tables: ExistingState['tables'],
  keys: ReadonlyMap<string, string | undefined>,
  options: InspectOptions,
): ColumnType | undefined {
  if (references === undefined) return undefined
  const { table, column = 'id' } = references
  if (keys.get(table) !== column) return undefined
  const { known, database, column: found } = findFacts(table, column, options)
  const field = known ?? findField(tables[table]!.columns[column]!.type, database, found)
  if (field.name === 'integer') return 'integer'
  return field.name === 'uuid' && field.options === undefined ? 'uuid' : 'text'
}

const noteReference = ({ column, state }: DeclaredColumn): string =>
  `the reference of "${column}" to "${state.references!.table}", which has no declared key "${state.references!.column ?? 'id'}"`

/** `author` for the reference `author_id`, unless another column has this name. */
function nameReference(column: string, { columns }: TableState): string {
  const short = column.replace(/_id$/, '')
  return short !== '' && !Object.hasOwn(columns, short) ? short : column
}
