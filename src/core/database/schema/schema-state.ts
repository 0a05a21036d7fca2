// The tables of one owner as plain data: what its migration steps make, and what its declared tables ask for. Equal states are
// equal data, so the difference between two of them is the next step.

/** Tables and views by name. */
export interface SchemaState {
  readonly tables: Readonly<Record<string, TableState>>
  /** The SQL of each view, after `as`. */
  readonly views: Readonly<Record<string, SqlText>>
}

export interface TableState {
  /** In the order of the table. */
  readonly columns: Readonly<Record<string, ColumnState>>
  /** The columns of the primary key. */
  readonly key: readonly string[]
  /** By the names of the indexes, which no other table of the database uses. */
  readonly indexes: Readonly<Record<string, IndexState>>
  /** The SQL conditions that each row fulfils, by the names of the constraints. */
  readonly checks: Readonly<Record<string, SqlText>>
}

export interface ColumnState {
  readonly type: ColumnType
  /** True: the column may be null. */
  readonly nullable?: true
  /** The value that the database stores if an INSERT omits the column. */
  readonly default?: DefaultValue
  /** The SQL with which the database computes the stored value from other columns of the row. */
  readonly generated?: SqlText
  readonly references?: ReferenceState
}

/**
 * A type that every database has, or the SQL of the type in each of them. `key` is an integer that the database generates,
 * `integer` has 64 bits, `number` is a double, and `decimal(12,2)` has 12 digits, 2 of them after the decimal point.
 */
export type ColumnType = PlainType | `decimal(${number},${number})` | SqlByDatabase

export type PlainType = (typeof plainTypes)[number]

export const plainTypes = [
  'key',
  'integer',
  'text',
  'boolean',
  'number',
  'date',
  'time',
  'dateTime',
  'duration',
  'uuid',
  'json',
] as const

/** A literal, the time of the write, or SQL. */
export type DefaultValue = string | number | boolean | { readonly now: true } | { readonly sql: SqlText }

/** SQL that every database takes, or that of each database. */
export type SqlText = string | SqlByDatabase

export interface SqlByDatabase {
  readonly sqlite: string
  readonly postgres: string
}

export interface ReferenceState {
  readonly table: string
  /** Default: `id`. */
  readonly column?: string
  /** What happens to the row if the row that it refers to is deleted; default: the deletion is refused. */
  readonly onDelete?: 'cascade' | 'set null'
}

export interface IndexState {
  /** The columns in their order; `-created_at` is descending. */
  readonly columns: readonly string[]
  readonly unique?: true
  /** The SQL condition of the rows in the index; default: all. */
  readonly where?: SqlText
}

/** No tables. */
export const emptyState: SchemaState = Object.freeze({ tables: {}, views: {} })
