// A resource is one declaration: a table, its fields, and who may do what. Routes, validation, SQL, JSON and types
// follow from it. A wrong declaration is a compile error, or an error at start that says what to write.

import type { Caller } from '../authentication/scheme.ts'
import type { Connection, SqlValue } from '../database/database.ts'
import type { Field, RelationTarget } from '../fields/field.ts'
import type { Paginator } from '../pagination/paginator.ts'
import type { Policies, ViewOptions } from '../view.ts'
import { completeOrdering, type Ordering } from './ordering.ts'

/** What can be done with a resource. `update` is both PUT and PATCH. */
export type Action = 'list' | 'create' | 'retrieve' | 'update' | 'destroy'

export const everyAction: readonly Action[] = ['list', 'create', 'retrieve', 'update', 'destroy']

/** Fields by name, in the order in which they are shown. */
export type Fields = Readonly<Record<string, Field>>

/** The values that a body gave, by field. */
export type Values<F extends Fields = Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Field<infer V> ? V | null : never
}

/**
 * The values of an object as it will be: those that a body gave, and those that it keeps. A nullable field may be null,
 * and a relation to many is there only where the body names it.
 */
export type Complete<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Field<infer V> ? V : never
}

/** Values of columns that no field writes. */
export type Columns<Hidden extends string = string> = { readonly [Name in Hidden]?: SqlValue }

/** What a hook knows of the write. */
export interface WriteContext extends Caller {
  readonly action: 'create' | 'update'
  /** The moment of the write, as a date-time column keeps it. */
  readonly now: string
}

/** What a hook inside the write's transaction knows. */
export interface TransactionContext<C = WriteContext> {
  readonly context: C
  readonly connection: Connection
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook need not answer anything
type Addition<Hidden extends string> = Columns<Hidden> | void

type Awaitable<Value> = Value | Promise<Value>

/** A resource as it is declared. `Hidden` are the columns that hooks write and no field shows. */
export interface ResourceOptions<F extends Fields, Hidden extends string> extends Partial<Policies> {
  readonly table: string
  /** The primary key's column; default `id`. */
  readonly key?: string
  readonly fields: F
  /**
   * Columns to order by, `-` before one for descending; the key decides among equals. A column that may be null has to
   * be a nullable field.
   */
  readonly ordering?: readonly string[]
  /** Default: all five. */
  readonly actions?: readonly Action[]
  readonly description?: string
  /** How lists are cut into pages; null for not at all. Default: the API's. */
  readonly pagination?: Paginator | null
  /** Columns that hooks write and no field shows. */
  readonly hidden?: readonly Hidden[]
  /** Views below an object's URL, by the last part of their path. */
  readonly views?: Readonly<Record<string, DetailView>>
  /**
   * Computes columns from the object's values as they will be. Runs before the transaction, so it may take its time;
   * should the object change meanwhile, the write begins again.
   */
  readonly prepare?: (values: Complete<F>, context: WriteContext) => Awaitable<Columns<Hidden>>
  /** Runs in the transaction, before the row is written; what it answers is written too. */
  readonly beforeSave?: (values: Complete<F>, transaction: TransactionContext) => Awaitable<Addition<Hidden>>
  /** Runs in the transaction, after the row is written. */
  readonly afterSave?: (key: number, transaction: TransactionContext) => Awaitable<void>
  /** Runs in the transaction, before the row is deleted. */
  readonly beforeDestroy?: (key: number, transaction: TransactionContext<Caller>) => Awaitable<void>
  /** Runs in the transaction, after the row is deleted. */
  readonly afterDestroy?: (key: number, transaction: TransactionContext<Caller>) => Awaitable<void>
}

/** A view below an object's URL: it shows one document made of the object's columns. */
export interface DetailView extends Omit<ViewOptions, 'handlers'> {
  /** The columns that `show` reads. */
  readonly columns: readonly string[]
  readonly show: (object: Readonly<Record<string, unknown>>) => ReturnType<ViewOptions['handlers'][string]>
}

/** A declared resource. Hooks are called with the values that its own fields made. */
export interface Resource
  extends Omit<ResourceOptions<Fields, string>, 'key' | 'actions' | 'ordering' | 'hidden' | 'description'>,
    RelationTarget {
  readonly actions: readonly Action[]
  readonly ordering: readonly Ordering[]
  readonly hidden: readonly string[]
  readonly description: string
}

/**
 * Declares a resource. `name` is its path and its name in the API's root.
 *
 * @example
 * const groups = resource('groups', {
 *   table: 'groups',
 *   ordering: ['name'],
 *   fields: { url: hyperlinkedIdentity(), name: text({ max: 150 }) },
 * })
 */
export function resource<F extends Fields, Hidden extends string = never>(
  name: string,
  options: ResourceOptions<F, Hidden>,
): Resource {
  const key = options.key ?? 'id'
  const declared = {
    ...(options as unknown as ResourceOptions<Fields, string>),
    name,
    key,
    actions: options.actions ?? everyAction,
    ordering: completeOrdering(options.ordering ?? [], key, options.fields),
    hidden: options.hidden ?? [],
    description: options.description ?? '',
  }
  checkDeclaration(declared)
  return Object.freeze(declared)
}

function checkDeclaration({ name, fields, actions, hidden }: Resource): void {
  const fail = (problem: string): never => {
    throw new Error(`resource "${name}": ${problem}`)
  }
  if (!/^[a-z][a-z0-9-]*$/.test(name)) fail('the name must be lower-case letters, digits and hyphens, as in a path')
  const writes = actions.includes('create') || actions.includes('update')
  for (const [field, { storage, required, readOnly, nullable, default: initial }] of Object.entries(fields)) {
    if (storage.kind === 'none' && !readOnly) fail(`field "${field}" is kept nowhere: wrap it in readOnly()`)
    if (writes && !readOnly && !required && !nullable && initial === undefined && storage.kind === 'column') {
      fail(`field "${field}" is optional: give it a default, or say nullable: true`)
    }
    const column = storage.kind === 'column' ? (storage.column ?? field) : undefined
    if (column !== undefined && !readOnly && hidden.includes(column))
      fail(`column "${column}" is a field and hidden as well: leave one out`)
  }
}
