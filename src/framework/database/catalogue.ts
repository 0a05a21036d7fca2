// What a database says of its own tables: declarations are checked against it at start, and the constraint that a write
// breaks is found in it.

export interface Catalogue {
  /**
   * The tables and views with these names, as statements write them: `books`, or `library.books` with its schema. A name
   * that the database does not know is left out.
   */
  tables(names: readonly string[]): Promise<ReadonlyMap<string, Table>>
  /** The names of all tables and views that need no schema. */
  names(): Promise<readonly string[]>
  /** Has the database compile statements that are not run; rejects with its own error for the first that it refuses. */
  compile(statements: readonly { readonly sql: string }[]): Promise<void>
}

export interface Table {
  /** The name as statements write it. */
  readonly name: string
  /** A view has no constraints, and its columns may have no types. */
  readonly isView: boolean
  readonly columns: readonly Column[]
  readonly constraints: readonly Constraint[]
  /** The column that a statement means by this name. */
  column(name: string): Column | undefined
}

export interface Column {
  readonly name: string
  /** As the database writes it; empty if it knows none. */
  readonly type: string
  readonly isInteger: boolean
  readonly notNull: boolean
  /** Does a row get a value here that its statement does not give? */
  readonly hasDefault: boolean
  /** Can no statement give a value? */
  readonly isGenerated: boolean
}

export type ConstraintKind = 'unique' | 'foreign key' | 'not null' | 'check' | 'other'

export interface Constraint {
  readonly kind: ConstraintKind
  /** How the database's errors name it; undefined where they do not. */
  readonly label: string | undefined
  /** The columns that it looks at. */
  readonly columns: readonly string[]
  /** Where a foreign key leads to; undefined where nobody asks. */
  readonly references?: { readonly table: string; readonly column: string } | undefined
}

/** The rule that a write breaks, as far as the database's error says it. */
export interface BrokenConstraint {
  readonly kind: ConstraintKind
  /** The table that has the constraint; undefined where the error does not say it. */
  readonly table?: string | undefined
  /** As `Constraint.label`. */
  readonly label?: string | undefined
}

/** A table from what was read of it; `isSame` compares a column's name with another text. */
export function createTable(table: Omit<Table, 'column'>, isSame: (name: string, other: string) => boolean): Table {
  return { ...table, column: name => table.columns.find(column => isSame(column.name, name)) }
}

/** A table's name in parts: the schema, where one is written, and the name in it. */
export function splitName(name: string): readonly [schema: string | undefined, table: string] {
  const point = name.indexOf('.')
  return point < 0 ? [undefined, name] : [name.slice(0, point), name.slice(point + 1)]
}
