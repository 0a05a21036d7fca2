// Choices as a table: a row for each thing, and a column for each of what can be chosen for it.

import type { MessageText } from '../../messages/english.ts'
import type { Choices } from './choices.ts'

/**
 * Forms show the choices `<row>.<column>`, such as `orders.add`, as a table of checkboxes, and the others as checkboxes below it.
 *
 * @example
 * const rights = multipleChoice(['orders.view', 'orders.add', 'reports'], {
 *   rows: { table: 'user_rights', own: 'user_id', other: 'right' },
 *   grid: { columns: { view: 'view', add: 'add' } },
 * })
 */
export interface ChoiceGrid {
  /**
   * The columns in their order: the part of a value after its last point, and its words, as they stand in "Orders: view, add". A
   * heading begins with a capital letter.
   */
  readonly columns: Readonly<Record<string, MessageText>>
  /** The words of rows; by default, those of the row `order-lines` are "Order lines". */
  readonly rows?: Readonly<Record<string, MessageText>>
}

/** A row of a grid: its name, and its values by column. */
export type GridRow = readonly [name: string, values: ReadonlyMap<string, string>]

/** Arranges values in the order of the grid; `others` have no cell. */
export function arrangeValues(
  values: Iterable<string>,
  { columns }: ChoiceGrid,
): { readonly rows: readonly GridRow[]; readonly others: readonly string[] } {
  const rows = new Map<string, Map<string, string>>()
  const others: string[] = []
  for (const value of values) {
    const point = value.lastIndexOf('.')
    const [row, column] = [value.slice(0, Math.max(point, 0)), value.slice(point + 1)]
    if (row === '' || !Object.hasOwn(columns, column)) others.push(value)
    else rows.set(row, (rows.get(row) ?? new Map<string, string>()).set(column, value))
  }
  return { rows: [...rows], others }
}

/** Throws if a column of the grid has no choice. `owner` begins the message. */
export function checkGrid(choices: Choices, grid: ChoiceGrid, owner: string): void {
  const { rows } = arrangeValues([...choices.keys()].map(String), grid)
  const columns = Object.keys(grid.columns)
  const empty = columns.find(column => !rows.some(([, values]) => values.has(column)))
  if (columns.length === 0) throw new Error(`${owner}: "grid" has no columns: name them, or remove it`)
  if (empty !== undefined)
    throw new Error(`${owner}: no choice is in the column "${empty}" of "grid": add one, such as "orders.${empty}"`)
}
