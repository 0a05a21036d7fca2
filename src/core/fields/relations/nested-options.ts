// The options of nested(). Each mistake is an error that names the fix; Node runs TypeScript without checking types.

import { isObject } from '../../base/is-object.ts'
import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'
import type { FieldOptions } from '../define-field.ts'
import type { ChildAction, JoinTable, RelationTarget, Reverse, RowFilterOptions } from '../field.ts'

export interface NestedOptions extends RowFilterOptions, Pick<FieldOptions<object>, 'visible'> {
  /** The resource, or the name of a resource of the same API. */
  readonly of: RelationTarget | string
  /**
   * For one related object: the column that contains its key; default: that of the reference with the name of the field in the declared
   * table. It is unique if bodies write the object, unless it is `shared`.
   */
  readonly column?: string
  /**
   * For one object that refers to this one: the unique column of its table that contains this object's key; true: that of the relation
   * with the name of the field in the declared table.
   */
  readonly one?: Reverse | true
  /**
   * For many related objects: the join table, or the column of the related table that refers to this object; true: those of the relation
   * with the name of the field in the declared table.
   */
  readonly many?: JoinTable | Reverse | true
  /** The fields of the nested objects; default: all. */
  readonly fields?: readonly string[]
  /**
   * Whether bodies write the related objects: `true` to add, change and remove them, or the list of what a body may do. `select`: an object
   * may be one that exists, with `column` or a join table; with `change`, an item with its key also changes it. The child's fields are those of `fields`. Default: false, read-only.
   */
  readonly writable?: boolean | readonly ChildAction[]
  /** With `column` and `writable`: bodies may contain null instead of the object, or leave it out. Default: false. */
  readonly nullable?: boolean
  /**
   * With `column` and `writable`: several objects may refer to one, and a change of it is one for all of them. Bodies never
   * remove it. Default: false.
   */
  readonly shared?: boolean
  /** The maximum number of objects in a body; default 1000. */
  readonly max?: number
  /** The column of the related table with the place in the list, from 0: bodies and responses then have the same order. */
  readonly position?: string
}

/** Without a declared table, the options say where the relation is stored. */
export const missingStorage = 'nested(): give one of "column", "one" and "many"'

/** What `writable: true` lets a body do with children. */
export const childActions: readonly ChildAction[] = ['add', 'change', 'remove']

/** Throws for the first mistake. */
export function checkNested(options: NestedOptions): void {
  if (!isObject(options))
    throw new Error("nested(): give its options, such as { of: lines, many: { reverse: 'order_id' } }")
  checkOptionNames('nested()', options, optionNames)
  const { of, column, one, many, writable } = options
  if (typeof of !== 'string' && !(isObject(of) && 'table' in of))
    throw new Error('nested(): of: give a resource, or the name of one')
  if ([column, one, many].filter(option => option !== undefined).length > 1) throw new Error(missingStorage)
  if (!isStoredNested(options)) return
  checkJoin(options)
  if (writable === undefined || writable === false) checkReadOnly(options)
  else checkWritable(options, writable)
}

/** Options that say where the relation is stored. */
export interface StoredNestedOptions extends NestedOptions {
  readonly one?: Reverse
  readonly many?: JoinTable | Reverse
}

/** Whether the options say where the relation is stored; otherwise, a declared table does. */
export const isStoredNested = (options: NestedOptions): options is StoredNestedOptions =>
  [options.column, options.one, options.many].some(option => option !== undefined && (option as unknown) !== true)

const optionNames: OptionNames<NestedOptions> = {
  of: true,
  column: true,
  one: true,
  many: true,
  fields: true,
  writable: true,
  nullable: true,
  shared: true,
  max: true,
  position: true,
  visible: true,
  ignoreRowFilter: true,
}

function checkJoin({ column, one, many, position }: StoredNestedOptions): void {
  for (const [option, name] of Object.entries({ column, position }))
    if (name !== undefined && (typeof name !== 'string' || name === ''))
      throw new Error(`nested(): ${option}: give the name of a column`)
  if (one !== undefined && !hasNames(one, ['reverse']))
    throw new Error('nested(): one: name the column that refers to this object, such as { reverse: "user_id" }')
  if (many !== undefined && !hasNames(many, ['reverse']) && !hasNames(many, ['table', 'own', 'other']))
    throw new Error(
      'nested(): many: name the column that refers to this object, such as { reverse: "order_id" }, or the join table with "table", "own" and "other"',
    )
}

const hasNames = (join: object, names: readonly string[]): boolean =>
  isObject(join) && names.every(name => typeof join[name] === 'string')

function checkReadOnly({ max, position, one, nullable, shared }: StoredNestedOptions): void {
  const ofObject = Object.entries({ nullable, shared }).find(([, value]) => value !== undefined)?.[0]
  if (ofObject) throw new Error(`nested(): "${ofObject}" is for writable objects: add "writable", or remove it`)
  const unused = Object.entries({ max, position: one && position }).find(([, value]) => value !== undefined)?.[0]
  if (unused) throw new Error(`nested(): "${unused}" is for writable lists: add "writable", or remove it`)
}

function checkWritable(options: StoredNestedOptions, writable: true | readonly ChildAction[]): void {
  const { one, many, max, position } = options
  const advice =
    'only objects that refer to this one can be written with it: give "reverse" in "many". The table of a join table with further columns can be a resource'
  if (writable !== true) checkActions(writable)
  if (max !== undefined && (!Number.isSafeInteger(max) || max < 1))
    throw new Error(`nested(): max is ${max}: give a whole number, 1 or more`)
  if (writable !== true && writable.includes('select')) {
    checkSelected(options, writable)
    return
  }
  if (many && !('reverse' in many)) throw new Error(`nested(): writable: ${advice}`)
  if (!many && (max ?? position) !== undefined)
    throw new Error(
      `nested(): "max" and "position" are for lists: remove them, or write "many" instead of "${one ? 'one' : 'column'}"`,
    )
  checkReferred(options, writable === true ? childActions : writable)
}

// The options of objects that bodies select or create. They belong to no parent.
function checkSelected(
  { column, many, max, position, nullable, shared }: StoredNestedOptions,
  actions: readonly ChildAction[],
): void {
  const refuse = (problem: string): never => {
    throw new Error(`nested(): writable: 'select': ${problem}`)
  }
  const isJoined = many !== undefined && 'table' in many
  if (column === undefined && !isJoined)
    refuse(`an object that refers to this one belongs to it: select objects with "column" or a join table`)
  if (!isJoined && actions.includes('remove'))
    refuse(`other objects may refer to the same one, so bodies cannot remove it: remove 'remove'`)
  if (position !== undefined) refuse('"position" is for objects that refer to this one: remove it')
  if (!isJoined && max !== undefined) refuse('"max" is for lists: remove it')
  if (isJoined && (nullable ?? shared) !== undefined)
    refuse(`"${nullable === undefined ? 'shared' : 'nullable'}" is for an object with "column": remove it`)
}

// The options of an object to which a column of this one refers.
function checkReferred({ column, nullable, shared }: NestedOptions, actions: readonly ChildAction[]): void {
  for (const [option, value] of Object.entries({ nullable, shared })) {
    if (value === undefined) continue
    if (typeof value !== 'boolean') throw new Error(`nested(): ${option} must be true or false`)
    if (column === undefined) throw new Error(`nested(): "${option}" is for an object with "column": remove it`)
  }
  if (column === undefined || !actions.includes('remove')) return
  if (shared)
    throw new Error(
      `nested(): shared: other objects may refer to the same one, so bodies cannot remove it: write writable: ['add', 'change']`,
    )
  if (!nullable && !actions.includes('add'))
    throw new Error(
      `nested(): writable: 'remove' has no effect if the object is neither null nor replaced: set nullable: true, or name 'add'`,
    )
}

function checkActions(actions: readonly ChildAction[]): void {
  const all: readonly ChildAction[] = [...childActions, 'select']
  const known = all.join(', ')
  if (!Array.isArray(actions))
    throw new Error(`nested(): writable is ${JSON.stringify(actions)}: write true, or a list with some of ${known}`)
  const unknown = actions.find(action => !all.includes(action))
  if (unknown !== undefined)
    throw new Error(`nested(): writable: there is no "${unknown}": write true, or some of ${known}`)
  if (actions.length === 0) throw new Error(`nested(): writable is empty: write true, some of ${known}, or remove it`)
  const repeated = actions.find((action, index) => actions.indexOf(action) < index)
  if (repeated !== undefined) throw new Error(`nested(): writable: "${repeated}" is there twice: remove one`)
}
