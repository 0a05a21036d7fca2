import { ValidationError } from '#core'
import { print } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'
import { prepareNew } from './prepare-new.ts'
import { readArgument } from './read-argument.ts'

export interface TokenOptions {
  readonly regenerate?: boolean
  readonly name?: string
  readonly expires?: string
}

/**
 * Prints a user's token, and nothing else, on standard output (AUTH-SCH-2). A named token is created at every call;
 * `regenerate` first revokes all tokens of the user.
 */
export async function token(services: Services, username: string, options: TokenOptions): Promise<void> {
  const { database, tokens, users } = services.accounts
  await prepareNew(services)
  const values = await readTokenValues(services, options)
  const user = await users.find(username)
  if (user === undefined) throw new CommandError(`there is no user "${username}"`)
  const issuing = database.transaction(async connection => {
    if (options.regenerate) await tokens.revokeAll(user.id, connection)
    return tokens.issue(user.id, values, connection)
  })
  const { token: issued } = await issuing.catch(error => {
    throw error instanceof ValidationError ? new CommandError([error.detail].flat().join(' ')) : error
  })
  services.accounts.audit.recordCommand(
    'token made',
    `token ${user.username}${options.regenerate ? ' --regenerate' : ''}`,
  )
  print(`${issued}\n`)
}

async function readTokenValues(
  { accounts: { tokens } }: Services,
  options: TokenOptions,
): Promise<Readonly<Record<string, unknown>>> {
  const values: Record<string, unknown> = {}
  for (const [option, name] of [
    ['name', 'name'],
    ['expires', 'expires_in'],
  ] as const) {
    const text = options[option]
    if (text === undefined) continue
    const field = tokens.fields[name]
    if (field === undefined) throw new CommandError(`--${option}: the setting "tokens" must be "named" for this`)
    values[name] = await readArgument(field, text, `--${option}`)
  }
  return values
}
