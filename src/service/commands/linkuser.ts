import { accountMessages, remoteIdentityField } from '#accounts'
import { ConstraintViolation } from '#core'
import { warn } from '../logging/standard-streams.ts'
import { CommandError } from '../processes/error-messages.ts'
import type { Services } from '../services.ts'
import { prepareNew } from './prepare-new.ts'
import { readArgument } from './read-argument.ts'

export interface LinkUserOptions {
  readonly remove?: boolean
}

/** Links a user to a remote identity, by default the username; with `remove`, removes the link. */
export async function linkUser(
  services: Services,
  username: string,
  identity: string | undefined,
  { remove = false }: LinkUserOptions,
): Promise<void> {
  if (remove && identity !== undefined) throw new CommandError('--remove: cannot be combined with an identity')
  await prepareNew(services, 'migrate')
  const user = await services.accounts.users.find(username)
  if (user === undefined) throw new CommandError(`there is no user "${username}"`)
  const linked = remove ? null : await readArgument(remoteIdentityField, identity ?? user.username, 'identity')
  try {
    await services.accounts.users.linkRemoteIdentity(user.id, linked)
  } catch (error) {
    throw error instanceof ConstraintViolation
      ? new CommandError(`identity: ${accountMessages('unique.remote_identity').message}`)
      : error
  }
  services.accounts.audit.recordCommand('account changed', `linkuser ${user.username}`)
  warn(
    linked === null
      ? `Removed the remote identity of ${user.username}.`
      : `Linked ${user.username} to the remote identity "${linked}".`,
  )
}
