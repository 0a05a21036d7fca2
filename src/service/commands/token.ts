import { ValidationError } from '../../framework/errors/exceptions.ts'
import { auditCommand } from '../audit/audit.ts'
import { print } from '../logging/standard-streams.ts'
import type { Services } from '../services.ts'
import { CommandError } from './error-messages.ts'
import { readArgument } from './read-argument.ts'

export interface TokenOptions {
  readonly regenerate?: boolean
  readonly name?: string
  readonly expires?: string
}

/**
 * Prints the key of a user's token, alone, on standard output (AUTH-SCH-2). Where tokens are named, it is a new one each
 * time; `regenerate` revokes those before it.
 */
export async function token(services: Services, username: string, options: TokenOptions): Promise<void> {
  const { database, tokens, users } = services
  await services.prepare()
  const wanted = await readWanted(services, options)
  const user = await users.find(username)
  if (user === undefined) throw new CommandError(`there is no user "${username}"`)
  const issued = database.transaction(async connection => {
    if (options.regenerate) await tokens.revokeAll(user.id, connection)
    return tokens.issue(user.id, wanted, connection)
  })
  const { key } = await issued.catch(error => {
    throw error instanceof ValidationError ? new CommandError([error.detail].flat().join(' ')) : error
  })
  auditCommand(services, 'token made', `token ${user.username}${options.regenerate ? ' --regenerate' : ''}`)
  print(`${key}\n`)
}

async function readWanted({ tokens }: Services, options: TokenOptions): Promise<Readonly<Record<string, unknown>>> {
  const wanted: Record<string, unknown> = {}
  for (const [option, name] of [
    ['name', 'name'],
    ['expires', 'expires_in'],
  ] as const) {
    const typed = options[option]
    if (typed === undefined) continue
    const field = tokens.fields[name]
    if (field === undefined) throw new CommandError(`--${option}: the setting "tokens" must be "named" for this`)
    wanted[name] = await readArgument(field, typed, `--${option}`)
  }
  return wanted
}
