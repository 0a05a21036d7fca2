import { auditCommand } from '../audit/audit.ts'
import { warn } from '../logging/standard-streams.ts'
import type { Parts } from '../services.ts'
import { CommandError } from './error-messages.ts'
import { readPassword } from './password-input.ts'

/** Gives a user another password. */
export async function changePassword(parts: Parts, username: string): Promise<void> {
  await parts.migrate()
  const user = await parts.users.find(username)
  if (user === undefined) throw new CommandError(`there is no user "${username}"`)
  await parts.users.setPassword(user.id, await readPassword())
  auditCommand(parts, 'account changed', `changepassword ${user.username}`)
  warn(`Changed the password of ${user.username}.`)
}
