import { ValidationError } from '../../framework/errors/exceptions.ts'
import type { Field } from '../../framework/fields/field.ts'
import { readValue } from '../../framework/fields/read-fields.ts'
import { CommandError } from './error-messages.ts'

/** The argument as the field parses it; throws CommandError, which names the argument. */
export async function readArgument<Value>(field: Field<Value>, typed: string, name: string): Promise<Value> {
  try {
    return await readValue(field, typed, { baseUrl: '', route: () => undefined })
  } catch (error) {
    throw error instanceof ValidationError ? new CommandError(`${name}: ${[error.detail].flat().join(' ')}`) : error
  }
}
