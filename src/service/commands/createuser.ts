import { emailField, usernameField } from '../../accounts/fields.ts'
import { hashPassword } from '../../accounts/passwords.ts'
import { ConstraintViolation } from '../../framework/database/database.ts'
import { ValidationError } from '../../framework/errors/exceptions.ts'
import type { Field } from '../../framework/fields/field.ts'
import { readValue } from '../../framework/fields/read-fields.ts'
import { readPassword } from '../password-input.ts'
import { CommandError, warn } from '../run.ts'
import type { Parts } from '../service.ts'

export interface CreateUserOptions {
  readonly email?: string
  readonly staff?: boolean
  readonly superuser?: boolean
}

/** Makes a user with a password from the prompt or standard input. */
export async function createUser(parts: Parts, username: string, options: CreateUserOptions): Promise<void> {
  await parts.migrate()
  const { staff = false, superuser = false } = options
  const name = await read(usernameField, username, 'username')
  const email = await read(emailField, options.email ?? '', 'email')
  const passwordHash = await hashPassword(await readPassword())
  const user = { username: name, email, passwordHash, isStaff: staff || superuser, isSuperuser: superuser }
  try {
    await parts.database.transaction(connection => parts.users.create(user, connection))
  } catch (error) {
    throw error instanceof ConstraintViolation ? new CommandError(`username: ${usernameField.unique}`) : error
  }
  warn(`Made the user ${name}.`)
}

async function read(field: Field<string>, value: string, name: string): Promise<string> {
  try {
    return await readValue(field, value, { baseUrl: '', route: () => undefined })
  } catch (error) {
    throw error instanceof ValidationError ? new CommandError(`${name}: ${[error.detail].flat().join(' ')}`) : error
  }
}
