// Reads a body for a resource. Beside what its fields check, the database is asked whether related objects exist and
// unique values are free, with questions that are compiled once; then the resource looks at the whole.

import type { HandlerContext } from '../context.ts'
import type { Arguments, Database, SqlValue } from '../database/database.ts'
import type { ValidationError } from '../errors/exceptions.ts'
import { type Field, type Fields, invalid, type Relation } from '../fields/field.ts'
import { type Check, readFields } from '../fields/read-fields.ts'
import type { BoundResourceOptions } from './bound-resource-options.ts'
import type { Values } from './declared-fields.ts'
import { createRelatedRows, type RelatedRows } from './related-rows.ts'
import type { Resource, WriteContext } from './resource.ts'
import { compileExistence, compileSame } from './sql/check.ts'
import { storageColumn, storedValue } from './storage.ts'

/** One write that a body is read for. */
export interface Validation {
  readonly request: HandlerContext
  readonly context: WriteContext
  readonly partial: boolean
  /** The values that the object has; none for a new one. */
  readonly existing: Values
  /** The values that the URL gives; a body has no say in them. */
  readonly given?: Values
  /** The values of the related resources' row filters. */
  readonly related: Arguments
}

/** Reads a body for one resource; throws ValidationError. */
export type Validator = (validation: Validation) => Promise<Values>

type Looked = Pick<Validation, 'related'> & Pick<WriteContext, 'id'>
type Question = (value: unknown, looked: Looked) => Promise<ValidationError | undefined>

type ValidationOptions = Pick<BoundResourceOptions, 'database' | 'route'> & { readonly related: RelatedRows }

export function createValidator(resource: Resource, fields: Fields, options: ValidationOptions): Validator {
  const { database, route } = options
  const questions = new Map(
    Object.entries(fields).map(([name, field]) => [name, questionsOf(resource, name, field, options)]),
  )
  const initial = initialValues(resource, fields)
  const sets = resource.uniqueTogether.map(names => uniqueSet(database, resource, names))
  return async ({ request, context, partial, existing, given = {}, related }) => {
    const { id } = context
    const readable = Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(given, name)))
    const readOptions = { partial, exists: id !== undefined, context: { baseUrl: request.baseUrl, route } }
    const read = await readFields(readable, request.body, readOptions, async (name, value) => {
      for (const question of questions.get(name)!) {
        const error = await question(value, { related, id })
        if (error !== undefined) return error
      }
      return undefined
    })
    const values: Values = { ...(id === undefined && initial), ...read, ...given }
    const complete = { ...existing, ...values } as Record<string, unknown>
    for (const isTaken of sets) await isTaken(complete, id)
    await resource.validate?.(complete, { ...context, connection: database })
    return values
  }
}

/** Asks whether the related objects exist that the fields of a body name. */
export function relationCheck(
  fields: Fields,
  { database, rowsOf }: Pick<BoundResourceOptions, 'database' | 'rowsOf'>,
): (context: HandlerContext) => Check {
  const related = createRelatedRows(rowsOf)
  const questions = new Map<string, Question>()
  for (const [name, { relation, readOnly }] of Object.entries(fields))
    if (relation && !readOnly) questions.set(name, existence(database, relation, related))
  return context => {
    const read = once(() => related.read(context))
    return async (name, value) => questions.get(name)?.(value, { related: await read(), id: undefined })
  }
}

// A new object takes the defaults of the fields that a body cannot name, too.
function initialValues(resource: Resource, named: Fields): Values {
  const others = Object.entries(resource.fields).filter(
    ([name, field]) => !(field.readOnly || Object.hasOwn(named, name)),
  )
  const values = others.map(([name, { default: initial, nullable }]) => [
    name,
    initial ?? (nullable ? null : undefined),
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function questionsOf(
  resource: Resource,
  name: string,
  field: Field,
  { database, related }: ValidationOptions,
): readonly Question[] {
  const { readOnly, relation, unique } = field
  if (readOnly) return []
  const column = storageColumn(name, field)
  return [
    ...(relation === undefined ? [] : [existence(database, relation, related)]),
    ...(unique === undefined || column === undefined ? [] : [uniqueness(database, resource, name, unique)]),
  ]
}

function existence(database: Database, relation: Relation, { visible }: RelatedRows): Question {
  const { target, missing, ignoreRowFilter } = relation
  const found = compileExistence(database, target, ignoreRowFilter ? undefined : visible(target, target.table))
  return async (value, { related }) => {
    const keys = Array.isArray(value) ? value : [value]
    if (keys.length === 0) return undefined
    const rows = await database.run(found, { keys: JSON.stringify(keys), ...related })
    const known = new Set(rows.map(([row]) => row))
    const lost = keys.find(candidate => !known.has(candidate))
    return lost === undefined ? undefined : missing(lost)
  }
}

function uniqueness(database: Database, resource: Resource, name: string, message: string): Question {
  const isTaken = createSearch(database, resource, [name])
  return async (value, { id }) => ((await isTaken({ [name]: value }, id)) ? invalid(message, 'unique') : undefined)
}

// A set in which something is null is like no other (SQL's own rule).
function uniqueSet(database: Database, resource: Resource, names: readonly string[]) {
  const isTaken = createSearch(database, resource, names)
  return async (values: Readonly<Record<string, unknown>>, id: number | undefined): Promise<void> => {
    if (names.some(name => values[name] === undefined || values[name] === null)) return
    if (await isTaken(values, id)) throw invalid(uniqueSetMessage(names), 'unique')
  }
}

// Does another object have these values?
function createSearch(database: Database, resource: Resource, names: readonly string[]) {
  const same = compileSame(database, resource, names)
  return async (values: Readonly<Record<string, unknown>>, id: number | undefined): Promise<boolean> => {
    const sought = names.map((name): [string, SqlValue] => [name, storedValue(resource.fields[name]!, values[name])])
    const rows = await database.run(same, Object.fromEntries(sought))
    return rows.some(([other]) => other !== id)
  }
}

function once<Result>(make: () => Result): () => Result {
  let made: { readonly result: Result } | undefined
  return () => {
    made ??= { result: make() }
    return made.result
  }
}

/** The message where another object has the same values of these fields. */
export const uniqueSetMessage = (names: readonly string[]): string =>
  `The fields ${names.join(', ')} must make a unique set.`
