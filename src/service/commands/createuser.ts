import { accountMessages, checkUsername, emailField, hashPassword, usernameField } from '#accounts'
import { ConstraintViolation, ValidationError } from '#core'
import { warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'
import { readPassword } from './password-input.ts'
import { prepareNew } from './prepare-new.ts'
import { readArgument } from './read-argument.ts'

export interface CreateUserOptions {
  readonly email?: string
  readonly staff?: boolean
  readonly superuser?: boolean
}

/** Creates a user with a password from the prompt or standard input. */
export async function createUser(services: Services, username: string, options: CreateUserOptions): Promise<void> {
  await prepareNew(services)
  const { staff = false, superuser = false } = options
  const name = await readArgument(usernameField, username, 'username')
  const email = await readArgument(emailField, options.email ?? '', 'email')
  await checkFree(services, name)
  const passwordHash = await hashPassword(await readPassword(services, { username: name, email }))
  const user = { username: name, email, passwordHash, isStaff: staff || superuser, isSuperuser: superuser }
  try {
    await services.database.transaction(connection => services.accounts.users.create(user, connection))
  } catch (error) {
    throw error instanceof ConstraintViolation ? createTakenError() : error
  }
  services.accounts.audit.recordCommand('account changed', `createuser ${name}`)
  warn(`Created the user ${name}.`)
}

// Nobody should type a password for a user who cannot be created.
async function checkFree({ database }: Services, username: string): Promise<void> {
  try {
    await checkUsername(username, { connection: database })
  } catch (error) {
    throw error instanceof ValidationError ? createTakenError() : error
  }
}

const createTakenError = (): CommandError => new CommandError(`username: ${accountMessages('unique.username').message}`)
