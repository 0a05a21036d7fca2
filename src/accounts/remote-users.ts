// The users whom a web server identifies (AUTH-SCH-r4). Its name for a user is the user's remote identity, which is set
// when the account is created or linked and compared byte for byte; other people may change the username. An identity
// that is new becomes a user (AUTH-SCH-5). The web server's word stands above a session: a session of another user ends.

import type { FastifyRequest } from 'fastify'
import { readCookie } from '../framework/authentication/cookies.ts'
import type { RemoteUserOptions } from '../framework/authentication/remote-user.ts'
import { ConstraintViolation, type Database } from '../framework/database/database.ts'
import { AuthenticationFailed, ValidationError } from '../framework/errors/exceptions.ts'
import { readValue } from '../framework/fields/read-fields.ts'
import { usernameField } from './fields.ts'
import type { Sessions } from './sessions.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

export interface RemoteUsersOptions extends Pick<RemoteUserOptions, 'identify'> {
  readonly database: Database
  readonly users: Users
  readonly sessions: Sessions
  /** The name of the cookie that holds the id of the session. */
  readonly sessionCookie: string
  /** Does an unknown identity become a user? Default: yes. */
  readonly createUsers?: boolean
}

export interface RemoteUsers {
  /** The user with this identity. If the request has a session of another user, that session ends. */
  find(identity: string, request: FastifyRequest): Promise<User | undefined>
  /** The user whose session has this id; undefined where the web server identifies another user. */
  findSession(id: string, request: FastifyRequest): Promise<User | undefined>
}

export function createRemoteUsers(options: RemoteUsersOptions): RemoteUsers {
  const { database, users, sessions, sessionCookie, identify, createUsers = true } = options

  const create = async (remoteIdentity: string): Promise<User | undefined> => {
    const username = await parseUsername(remoteIdentity)
    if (username === undefined) return undefined
    try {
      await database.transaction(connection => users.create({ username, remoteIdentity }, connection))
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
    }
    const user = await users.findRemote(remoteIdentity)
    // An account with this name, or one like it, is not linked to this identity.
    if (user === undefined) throw new AuthenticationFailed(usernameField.unique)
    return user
  }
  const endOther = async (request: FastifyRequest, user: User) => {
    const id = readCookie(request, sessionCookie)
    const owner = id === undefined ? undefined : await sessions.find(id)
    if (owner !== undefined && owner.id !== user.id) await sessions.end(id!)
  }

  return {
    async find(identity, request) {
      const user = (await users.findRemote(identity)) ?? (createUsers ? await create(identity) : undefined)
      if (user?.isActive) await endOther(request, user)
      return user
    },
    async findSession(id, request) {
      const user = await sessions.find(id)
      if (user === undefined) return undefined
      const identity = await identify(request)
      return !identity || (await users.findRemote(identity))?.id === user.id ? user : undefined
    },
  }
}

/** The username of a new account; undefined where the text cannot be a username. */
async function parseUsername(text: string): Promise<string | undefined> {
  try {
    return await readValue(usernameField, text, { baseUrl: '', route: () => undefined })
  } catch (error) {
    if (error instanceof ValidationError) return undefined
    throw error
  }
}
