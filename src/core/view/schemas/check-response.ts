// Checks a response against the fields or the schema that its view declares, in tests and in development.

import { mapErrors } from '../../errors/error-tree.ts'
import { type ErrorDetail, type ErrorTree, ValidationError } from '../../errors/exceptions.ts'
import { emptyContext, type Field, type Fields } from '../../fields/field.ts'
import { isAbsentInSome } from '../../fields/field-visibility.ts'
import { JsonText } from '../../http/response.ts'
import { type ContentSchema, isListSchema, isStandardSchema } from './schema.ts'
import { checkBySchema } from './standard-schema.ts'

/** Rejects with an Error that lists the differences. `where` begins its message. */
export type CheckResponse = (body: unknown, where: string) => Promise<void>

/** Creates the check of a declared response; `fields`: the declared fields; unused for others. */
export function createResponseCheck(schema: ContentSchema, fields: Fields): CheckResponse {
  const check = (data: unknown): Promise<unknown> => {
    if (isListSchema(schema)) return checkValue(schema, data)
    return isStandardSchema(schema) ? checkBySchema(schema, data) : checkShown(fields, data)
  }
  return async (body, where) => {
    try {
      await check(body instanceof JsonText ? JSON.parse(body.text) : body)
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      const differences = JSON.stringify(mapErrors(error.errors, ({ message }) => message))
      throw new Error(`${where}: the response is not what the view declares: ${differences}`)
    }
  }
}

async function checkShown(fields: Fields, data: unknown): Promise<void> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) throw new ValidationError('not an object')
  const errors: Record<string, ErrorTree<ErrorDetail>> = {}
  const add = (name: string, error: ValidationError) => {
    errors[name] = error.errors
  }
  for (const name of Object.keys(data).filter(each => !Object.hasOwn(fields, each)))
    add(name, new ValidationError('not declared'))
  for (const [name, field] of Object.entries(fields)) {
    if (field.writeOnly) continue
    try {
      const value = (data as Readonly<Record<string, unknown>>)[name]
      if (value !== undefined) await checkValue(field, value)
      else if (field.visible === undefined && !isAbsentInSome(field)) throw new ValidationError('missing')
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      add(name, error)
    }
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}

async function checkValue(field: Field, value: unknown): Promise<void> {
  if (value === null) {
    if (!field.nullable) throw new ValidationError('null')
    return
  }
  const { shownFields } = field
  if (shownFields !== undefined) {
    for (const object of [value].flat()) await checkShown(shownFields, object)
    return
  }
  // The value of a relation may be shown in another form than its key.
  if (field.relation !== undefined || field.readOnly) return
  const parsed = await field.parse(value, emptyContext)
  if (typeof parsed !== typeof value) throw new ValidationError(`a ${typeof parsed} is declared`)
}
