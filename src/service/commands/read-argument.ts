import { type FieldDefinition, readValue, ValidationError } from '#core'
import { CommandError } from '../processes/error-messages.ts'

/** Parses an argument with a field. Throws CommandError, which names the argument, if it is invalid. */
export async function readArgument<Value>(field: FieldDefinition<Value>, text: string, name: string): Promise<Value> {
  try {
    return await readValue(field, text, { baseUrl: '', route: () => undefined })
  } catch (error) {
    throw error instanceof ValidationError ? new CommandError(`${name}: ${[error.detail].flat().join(' ')}`) : error
  }
}
