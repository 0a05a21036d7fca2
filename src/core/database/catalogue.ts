// The tables, columns and constraints that exist in the database. At start, declarations are checked against the
// catalogue; later, the catalogue tells which columns a constraint violation concerns.

export interface Catalogue {
  /**
   * The tables and views with these names, written as in SQL: `books`, or `library.books` with the schema. The map omits
   * names that do not exist.
   */
  tables(names: readonly string[]): Promise<ReadonlyMap<string, Table>>
  /**
   * The indexes of the tables with these names, including those of primary keys and UNIQUE constraints. The map omits
   * views, and names that do not exist.
   */
  indexes(names: readonly string[]): Promise<ReadonlyMap<string, readonly Index[]>>
  /** The names of all tables and views that SQL can use without a schema. */
  names(): Promise<readonly string[]>
  /** Compiles statements without running them; rejects with the database's error for the first invalid statement. */
  compile(statements: readonly { readonly sql: string }[]): Promise<void>
}

export interface Table {
  /** The name as it was requested from the catalogue. */
  readonly name: string
  /** A view has no constraints, and its columns may have no types. */
  readonly isView: boolean
  readonly columns: readonly Column[]
  /** The columns of the primary key; empty if there is none. */
  readonly primaryKey: readonly string[]
  /** A hidden column that finds a row faster than its primary key does; undefined if there is none. */
  readonly rowId?: string | undefined
  readonly constraints: readonly Constraint[]
  /** The tables that store its rows, if there are several. */
  readonly parts?: readonly Table[]
  /** Finds a column by the database's rules for case; undefined if the table has no such column. */
  column(name: string): Column | undefined
}

/**
 * The columns of an index in their order, up to the first one whose values it does not compare as the column does: an
 * expression, or another collation. Partial indexes, and those that have no order, such as hash and gin, are left out.
 */
export type Index = readonly IndexedColumn[]

export interface IndexedColumn {
  readonly name: string
  readonly descending: boolean
}

/**
 * `text` includes `citext`, `varchar` and the like; `enum` is an enumeration of PostgreSQL, and `decimal` its `numeric`. SQLite
 * has no types for enums, dates and JSON.
 */
export type ColumnKind =
  | 'integer'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'uuid'
  | 'text'
  | 'enum'
  | 'date'
  | 'time'
  | 'datetime'
  | 'json'
  | 'other'

export interface Column {
  readonly name: string
  /** The type as the database writes it; empty if the column has no type. */
  readonly type: string
  /** The type without a length or a precision. */
  readonly plainType: string
  /** The class of the type, which decides which keys and fields fit. */
  readonly kind: ColumnKind
  /** The values of an enum; null or undefined for other types. */
  readonly labels?: readonly string[] | null
  readonly notNull: boolean
  /** True: the database fills the column if an INSERT omits it. */
  readonly hasDefault: boolean
  /** True: the values with which the database fills the column increase in the order of the inserted rows. */
  readonly countsUp: boolean
  /** True: the column is GENERATED, and no statement can write it. */
  readonly isGenerated: boolean
}

export type ConstraintKind = 'unique' | 'foreign key' | 'not null' | 'check' | 'other'

export interface Constraint {
  readonly kind: ConstraintKind
  /** The text that identifies the constraint in the database's errors; undefined if the errors do not identify it. */
  readonly label: string | undefined
  /** The columns that the constraint checks. */
  readonly columns: readonly string[]
  /** True: a unique index leaves out some rows, not only those with null. */
  readonly isPartial?: boolean | null
  /** The target of a foreign key with one column; undefined for others, and if the catalogue does not read targets. */
  readonly references?: { readonly table: string; readonly column: string } | undefined
}

/** The violated constraint, as far as the database's error identifies it. */
export interface BrokenConstraint {
  readonly kind: ConstraintKind
  /** The table of the constraint; undefined if the error does not name it. */
  readonly table?: string | undefined
  /** Equals `Constraint.label`; undefined if the error does not identify the constraint. */
  readonly label?: string | undefined
}

/** Creates a table from its data; `isSame` compares two column names for `column`. */
export function createTable(table: Omit<Table, 'column'>, isSame: (first: string, second: string) => boolean): Table {
  return { ...table, column: name => table.columns.find(column => isSame(column.name, name)) }
}

/** Creates an index from its columns; null for one whose values it does not compare as the column does. */
export function createIndex(columns: readonly (IndexedColumn | null)[]): Index {
  const end = columns.indexOf(null)
  return (end < 0 ? columns : columns.slice(0, end)) as Index
}

/** The name as SQL writes it: `"orders"`. */
export const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** The name of a table as SQL writes it, with its schema if it has one: `"library"."books"`. */
export const quoteTable = (name: string): string =>
  splitName(name)
    .filter(part => part !== undefined)
    .map(quote)
    .join('.')

/** Splits a table name into its schema, if it has one, and the name within the schema. */
export function splitName(name: string): readonly [schema: string | undefined, table: string] {
  const dot = name.indexOf('.')
  return dot < 0 ? [undefined, name] : [name.slice(0, dot), name.slice(dot + 1)]
}
