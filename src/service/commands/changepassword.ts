import { warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'
import { readPassword } from './password-input.ts'
import { prepareNew } from './prepare-new.ts'

/** Changes the password of a user. */
export async function changePassword(services: Services, username: string): Promise<void> {
  await prepareNew(services, 'migrate')
  const user = await services.accounts.users.find(username)
  if (user === undefined) throw new CommandError(`there is no user "${username}"`)
  await services.accounts.users.setPassword(user.id, await readPassword(services, user))
  services.accounts.audit.recordCommand('account changed', `changepassword ${user.username}`)
  warn(`Changed the password of ${user.username}.`)
}
