// Reads a body without a request: fields whose values the service looks up are checked by their form alone.

import { type ErrorDetail, type ErrorTree, ValidationError } from '../../errors/exceptions.ts'
import { invalid } from '../../errors/invalid.ts'
import { type BodyMethod, type ChildStorage, emptyContext, type Field, type Fields } from '../../fields/field.ts'
import { readFields, selectGiven } from '../../fields/read-fields.ts'
import { findChildKey, listChildFields } from '../../fields/relations/child-schema.ts'
import { nameOnWire } from '../../fields/wire-names.ts'
import type { RequestBody } from '../../http/parsers/request-body.ts'

/** Returns the members that the body contains, by their names on the wire; rejects with ValidationError. */
export async function readBody(
  fields: Fields,
  data: unknown,
  method: BodyMethod,
): Promise<Readonly<Record<string, unknown>>> {
  const body: RequestBody = { kind: 'data', data }
  const read = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, withoutRequest(field, method)]))
  const options = { context: emptyContext, partial: method === 'PATCH', exists: method === 'PUT' }
  const given = selectGiven(read, body, await readFields(read, body, options), options)
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [nameOnWire(name, fields[name]!), value]))
}

// A default is no part of the result, and one that is a function needs a request.
function withoutRequest({ createDefault: _, ...field }: Field, method: BodyMethod): Field {
  const { file, relation, childStorage, targetName } = field
  if (file !== undefined) return { ...field, parse: readFile }
  if (childStorage) return { ...field, parse: input => readChildren(field, childStorage, input, method) }
  // Only an API knows the resource of this name.
  if (targetName !== undefined) return { ...field, parse: input => input }
  return relation?.findValueField() === 'url' ? { ...field, parse: input => readUrls(field, input) } : field
}

function readFile(input: unknown): Blob {
  if (input instanceof Blob) return input
  throw invalid('invalid.file')
}

// Whether a URL is one of the API is known to the API alone.
function readUrls({ parse }: Field, input: unknown): unknown {
  const isText = Array.isArray(input) ? input.every(item => typeof item === 'string') : typeof input === 'string'
  return isText ? input : parse(input, emptyContext)
}

async function readChildren(field: Field, storage: ChildStorage, input: unknown, method: BodyMethod): Promise<unknown> {
  await field.parse(input, emptyContext)
  if (!storage.isList) return readBody(listChildFields(storage), input, method)
  const errors: ErrorTree<ErrorDetail>[] = []
  const children: unknown[] = []
  for (const item of input as readonly unknown[]) {
    try {
      children.push(await readChild(storage, item, method))
      errors.push({})
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      errors.push(error.errors)
    }
  }
  if (errors.length > children.length) throw new ValidationError(errors)
  return children
}

/** Reads a child: a new one, or the key of one and its changes. */
async function readChild(storage: ChildStorage, item: unknown, method: BodyMethod): Promise<unknown> {
  const fields = listChildFields(storage)
  const key = findChildKey(storage)
  const name = key !== undefined && isObject(item) && Object.hasOwn(item, key.name) ? item[key.name] : undefined
  if (name === undefined || name === null || !key!.field.readOnly) {
    if (storage.actions.has('add')) return readBody(fields, item, 'POST')
    throw new ValidationError(key === undefined ? {} : { [key.name]: invalid('required').errors })
  }
  if (!storage.actions.has('change')) return { [key!.name]: name }
  return { [key!.name]: name, ...(await readBody(fields, item, method)) }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
