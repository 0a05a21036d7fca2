// The users whom a web server names (AUTH-SCH-r4). A name that is new becomes a user (AUTH-SCH-5). The web server's word
// stands above a session: one of somebody else is over.

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
  /** Does an unknown name become a user? Default: yes. */
  readonly createUsers?: boolean
}

export interface RemoteUsers {
  /** The user of this name. A session that the request has as somebody else ends. */
  find(name: string, request: FastifyRequest): Promise<User | undefined>
  /** The user whose session has this id; undefined where the web server names somebody else. */
  findSession(id: string, request: FastifyRequest): Promise<User | undefined>
}

export function createRemoteUsers(options: RemoteUsersOptions): RemoteUsers {
  const { database, users, sessions, sessionCookie, identify, createUsers = true } = options

  const create = async (username: string): Promise<User | undefined> => {
    try {
      await database.transaction(connection => users.create({ username }, connection))
    } catch (error) {
      if (!(error instanceof ConstraintViolation)) throw error
    }
    const user = await users.find(username)
    // Somebody has the name in another spelling.
    if (user === undefined) throw new AuthenticationFailed(usernameField.unique)
    return user
  }
  const endOther = async (request: FastifyRequest, user: User) => {
    const id = readCookie(request, sessionCookie)
    const owner = id === undefined ? undefined : await sessions.find(id)
    if (owner !== undefined && owner.id !== user.id) await sessions.end(id!)
  }

  return {
    async find(name, request) {
      const username = await cleanName(name)
      if (username === undefined) return undefined
      const user = (await users.find(username)) ?? (createUsers ? await create(username) : undefined)
      if (user?.isActive) await endOther(request, user)
      return user
    },
    async findSession(id, request) {
      const user = await sessions.find(id)
      if (user === undefined) return undefined
      const name = await identify(request)
      return !name || (await cleanName(name)) === user.username ? user : undefined
    },
  }
}

/** The name as a user's is kept; undefined for what can be none. */
async function cleanName(name: string): Promise<string | undefined> {
  try {
    return await readValue(usernameField, name, { baseUrl: '', route: () => undefined })
  } catch (error) {
    if (error instanceof ValidationError) return undefined
    throw error
  }
}
