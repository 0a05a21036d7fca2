import { CommandError } from '../run.ts'
import type { Parts } from '../service.ts'

/** Prints the key of a user's token, alone, on standard output (AUTH-SCH-2). */
export async function token(parts: Parts, username: string, options: { readonly regenerate?: boolean }): Promise<void> {
  const { database, tokens, users } = parts
  await parts.migrate()
  const user = await users.find(username)
  if (user === undefined) throw new CommandError(`there is no user "${username}"`)
  const key = await database.transaction(connection =>
    options.regenerate ? tokens.regenerate(user.id, connection) : tokens.getOrCreate(user.id, connection),
  )
  process.stdout.write(`${key}\n`)
}
