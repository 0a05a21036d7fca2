// Users that the web server identifies (AUTH-SCH-r4). A user is found by the remote identity, which is set when the
// account is created or linked, and compared byte for byte; not by the username, which can change. A user is created
// for a new identity (AUTH-SCH-5). If the web server and a session identify different users, the session ends.

import type { FastifyRequest } from 'fastify'
import { type RemoteUserOptions, readCookie } from '#core'
import type { Sessions } from './sessions.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

export interface RemoteUsersOptions extends Pick<RemoteUserOptions, 'identify'> {
  readonly users: Users
  readonly sessions: Sessions
  /** The name of the session cookie. */
  readonly sessionCookie: string
  /** Whether a user is created for an unknown identity. Default: true. */
  readonly createUsers?: boolean
}

export interface RemoteUsers {
  /** Returns the user with this identity, and ends the session of the request if it belongs to a different user. */
  find(identity: string, request: FastifyRequest): Promise<User | undefined>
  /** Returns the user of the session; undefined if the web server identifies a different user. */
  findSession(id: string, request: FastifyRequest): Promise<User | undefined>
}

/**
 * Finds and creates the users whom the web server identifies.
 *
 * @example
 * const identify = remoteUserHeader({ header: 'Remote-User', proxies: ['127.0.0.1'] })
 * const remote = createRemoteUsers({ users, sessions, sessionCookie: 'sessionid', identify })
 * const scheme = remoteUserScheme({ identify, find: remote.find, varyOn: ['remote-user'] })
 */
export function createRemoteUsers(options: RemoteUsersOptions): RemoteUsers {
  const { users, sessions, sessionCookie, identify, createUsers = true } = options

  const endSessionOfOtherUser = async (request: FastifyRequest, user: User) => {
    const id = readCookie(request, sessionCookie)
    const owner = id === undefined ? undefined : await sessions.find(id)
    if (owner !== undefined && owner.id !== user.id) await sessions.end(id!)
  }

  return {
    async find(identity, request) {
      const user = await (createUsers
        ? users.findOrCreateByRemoteIdentity(identity, identity)
        : users.findByRemoteIdentity(identity))
      if (user?.isActive) await endSessionOfOtherUser(request, user)
      return user
    },
    async findSession(id, request) {
      const user = await sessions.find(id)
      if (user === undefined) return undefined
      const identity = await identify(request)
      return !identity || (await users.findByRemoteIdentity(identity))?.id === user.id ? user : undefined
    },
  }
}
