// The fixture of any resource: its fields check the values, and its table gets the rows. Hooks do not run.

import {
  ConstraintViolation,
  type Field,
  type Fields,
  formatDateTime,
  formatSingularTitle,
  type Key,
  type KeyValue,
  type MaybePromise,
  type Resource,
  type SqlValue,
  type ValuesOf,
} from '#core'
import { DataError } from './data-error.ts'
import { createFixture, type Fixture, type Loading } from './fixture.ts'
import { optional } from './read-rows.ts'
import { createRowKey } from './row-fields.ts'
import { listMembers } from './row-members.ts'

export interface ResourceFixtureOptions<F extends Fields> {
  /**
   * Fields that a row has in addition to those of the resource, or that check values in their place. `columns` gets
   * their values.
   */
  readonly fields?: F
  /**
   * Computes columns that hooks write for requests; values in the row win. Runs before the transaction, so it may be
   * slow. Without it, a row may have these columns under their own names, unless a field shows the column.
   */
  readonly columns?: (
    row: ValuesOf<F>,
    context: { /** In the format of a date-time column. */ readonly now: string },
  ) => MaybePromise<Readonly<Record<string, SqlValue>>>
}

/**
 * Creates the list of a resource in data files. A row has the writable fields of the resource, and may have its primary
 * key and its read-only fields that have a column. It refers to rows of other tables by key, by a unique field of the
 * related resource (`{ "username": "ada" }`), or, for a text `via` another table, by that text. These rows come earlier in
 * the file, or are already in the database.
 *
 * @example
 * const fixtures = { orders: fixture(orders, { columns: (_row, { now }) => ({ created: now }) }) }
 */
export function fixture<F extends Fields = Record<never, never>>(
  resource: Resource,
  options: ResourceFixtureOptions<F> = {},
): Fixture {
  if (resource.parentRows !== undefined)
    throw new Error(
      `fixture(): the table of "${resource.name}" extends another one, and a list of a data file fills one table: create the objects by requests, or in a step`,
    )
  const members = listMembers(resource, options.columns === undefined)
  const keyName = findKeyName(resource)
  const unique = [
    ...new Set([keyName, ...members.filter(({ field }) => field.unique !== undefined).map(({ name }) => name)]),
  ]
  // A key that bodies may give has a default, which only a request makes.
  const others = resource.key.mayBeGiven ? members.filter(({ name }) => name !== keyName) : members
  const fields: Fields = {
    [keyName]: createKeyMember(resource.key),
    ...Object.fromEntries(others.map(({ name, field }) => [name, field])),
    ...options.fields,
  }
  const createError = createErrorFormatter(resource, unique)
  const defaults = Object.fromEntries(
    resource.filledColumns.create.flatMap(filled => (filled.fill === 'default' ? [[filled.column, filled.value]] : [])),
  )
  return createFixture({
    table: resource.table,
    keyName,
    key: resource.key.column,
    isNumbered: resource.key.type === 'integer',
    fields,
    unique,
    async prepare(row) {
      // The row contains the values of `options.fields`, because `fields` contains these fields.
      const computed = await options.columns?.(row as ValuesOf<F>, { now: formatDateTime(new Date())! })
      return { row, computed: computed ?? {} }
    },
    async insert(loading, { row, computed }, path) {
      const id = row[keyName]
      const columns: Record<string, SqlValue> = {
        ...resource.key.create?.(),
        ...(id !== undefined && { [resource.key.column]: id as KeyValue }),
      }
      for (const { name, write } of members)
        if (row[name] !== undefined) Object.assign(columns, await write?.(loading, row[name], `${path}.${name}`))
      try {
        const key = await insertRow(loading, resource, { ...defaults, ...computed, ...columns })
        for (const { name, addRows } of members)
          if (row[name] !== undefined) await addRows?.(loading, key, row[name], `${path}.${name}`)
      } catch (error) {
        throw error instanceof ConstraintViolation ? createError(error, path) : error
      }
    },
  })
}

const findKeyName = ({ fields, key }: Resource): string =>
  Object.entries(fields).find(([, { keyColumn }]) => keyColumn !== undefined)?.[0] ?? key.column

// A body gives the key of a new object, and so does a row.
const createKeyMember = (key: Key): Field => {
  const field = createRowKey(key)
  return key.source === 'body' ? field : optional(field)
}

async function insertRow(
  { connection }: Loading,
  { table, key }: Resource,
  columns: Readonly<Record<string, SqlValue>>,
): Promise<KeyValue> {
  const insertion = connection.kysely.insertInto(table)
  const filled = Object.keys(columns).length === 0 ? insertion.defaultValues() : insertion.values(columns)
  const row = await filled.returning(`${key.column} as key`).executeTakeFirstOrThrow()
  return row.key as KeyValue
}

function createErrorFormatter({ name, uniqueTogether }: Resource, unique: readonly string[]) {
  const singular = formatSingularTitle(name).toLowerCase()
  const article = /^[aeio]/.test(singular) ? 'an' : 'a'
  const sets = [...unique, ...uniqueTogether.map(names => names.join(' and '))]
  const alternatives = sets.length === 1 ? sets[0] : `${sets.slice(0, -1).join(', ')} or ${sets.at(-1)}`
  return ({ broken, message }: ConstraintViolation, path: string): DataError =>
    broken.kind === 'unique'
      ? new DataError(`${path}: ${article} ${singular} with this ${alternatives} already exists`)
      : new DataError(`${path}: ${message}`)
}
