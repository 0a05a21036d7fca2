// Checks the rows of one list of a data file. The fields of the HTTP API check the values, so that a file and a request
// are rejected with the same messages.

import {
  adviseName,
  type Field,
  type FieldDefinition,
  type Fields,
  formatTypeName,
  readFields,
  ValidationError,
  type ValuesOf,
} from '#core'
import { DataError } from './data-error.ts'

/** The field without `required`: a row may omit it, and its value is then undefined. */
export const optional = <Value>(field: FieldDefinition<Value>): FieldDefinition<Value | undefined> => ({
  ...field,
  required: false,
})

/** Returns the members of an object in a data file; throws DataError if there are unknown ones. */
export function readMembers(path: string, input: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  const prefix = path === '' ? '' : `${path}: `
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new DataError(`${prefix}Invalid data. Expected a dictionary, but got ${formatTypeName(input)}.`)
  const unknown = Object.keys(input).filter(name => !known.includes(name))
  if (unknown.length === 0) return input as Readonly<Record<string, unknown>>
  throw new DataError(
    `${prefix}unknown key ${unknown.map(name => JSON.stringify(name)).join(', ')}${adviseKeys(unknown, known)}`,
  )
}

function adviseKeys([first = '', ...others]: readonly string[], known: readonly string[]): string {
  const advice = others.length === 0 ? adviseName(first, known) : ''
  return advice || (known.length === 0 ? ': there are no keys' : `: the keys are ${known.join(', ')}`)
}

/**
 * Returns the values of each row. Rejects with DataError for the first invalid value, or if two rows have the same value
 * of a `unique` property.
 */
export async function readRows<F extends Fields>(
  list: string,
  input: unknown,
  { fields, unique }: { readonly fields: F; readonly unique: readonly (keyof F & string)[] },
): Promise<readonly ValuesOf<F>[]> {
  if (!Array.isArray(input))
    throw new DataError(`${list}: Expected a list of items but got type "${formatTypeName(input)}".`)
  // A file also sets values that requests cannot set, and has the declared names.
  const writable = Object.fromEntries(
    Object.entries<Field>(fields).map(([name, { wireName: _, ...field }]) => [name, { ...field, readOnly: false }]),
  )
  const rows: ValuesOf<F>[] = []
  for (const [index, row] of input.entries()) {
    const path = `${list}[${index}]`
    const data = readMembers(path, row, Object.keys(fields))
    rows.push((await readRow(path, data, writable)) as ValuesOf<F>)
  }
  for (const name of unique) checkUnique(list, name, rows)
  return rows
}

// A file has no base URL, and no paths of objects.
const context = { baseUrl: '', route: () => undefined }

async function readRow(path: string, data: object, fields: Fields): Promise<Record<string, unknown>> {
  try {
    const values = await readFields(fields, { kind: 'data', data }, { context })
    // Unlike a request, a row leaves a nullable value that it omits to the database.
    return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== null || name in data))
  } catch (error) {
    throw error instanceof ValidationError ? new DataError(formatFirst(path, error.detail)) : error
  }
}

// The errors of an object are keyed by name, and those of a list by index.
function formatFirst(path: string, detail: ValidationError['detail']): string {
  if (typeof detail === 'string') return `${path}: ${detail}`
  if (Array.isArray(detail)) return `${path}: ${detail.join(' ')}`
  const [name, errors] = Object.entries(detail)[0]!
  return formatFirst(/^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`, errors)
}

function checkUnique(list: string, name: string, rows: readonly Readonly<Record<string, unknown>>[]): void {
  const firstIndexes = new Map<unknown, number>()
  for (const [index, { [name]: value }] of rows.entries()) {
    if (value === undefined || value === null) continue
    const first = firstIndexes.get(value)
    if (first !== undefined) throw new DataError(`${list}[${index}].${name}: the same as ${list}[${first}].${name}`)
    firstIndexes.set(value, index)
  }
}
