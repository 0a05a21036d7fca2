// Contexts for code without a request: commands and scheduled jobs. They belong to an API of a Fastify server that is ready,
// whether or not it listens.

import type { FastifyInstance } from 'fastify'
import type { CallContext } from '../../http/context.ts'
import type { Identity } from '../../http/identity.ts'
import { findDefaultVersion } from '../../http/negotiation/versioning.ts'
import { listContextApis } from '../bind/application.ts'

export interface ContextOptions<User extends Identity = Identity> {
  /** The caller. Permissions and row filters decide what it may do, as for its requests. */
  readonly user: User
  /** The caller's `auth`; default: null. */
  readonly auth?: unknown
  /** The name of the API; required if the server has several. */
  readonly api?: string
}

/**
 * Creates the context for calls without a request, such as those of a command. The server must be ready; it need not
 * listen. Throws if it has no API of this name. URLs in the results begin with the API's public URL, or else with
 * `http://localhost`.
 *
 * @example
 * await app.ready()
 * const context = createContext(app, { user: ann })
 * await orders.create({ number: 'A1' }, context)
 */
export function createContext<User extends Identity>(
  { server }: Pick<FastifyInstance, 'server'>,
  { user, auth = null, api: name }: ContextOptions<User>,
): CallContext<User> {
  const apis = listContextApis(server)
  const [api, ...others] = name === undefined ? apis : apis.filter(candidate => candidate.name === name)
  const names = apis.map(candidate => `"${candidate.name}"`).join(', ')
  if (apis.length === 0)
    throw new Error('createContext(): the server has no API: register createApi(), and await ready()')
  if (api === undefined) throw new Error(`createContext(): there is no API "${name}": write one of ${names}`)
  if (others.length > 0) throw new Error(`createContext(): the server has several APIs: set "api" to one of ${names}`)
  const { view, prefix, publicUrl = 'http://localhost' } = api
  const version = findDefaultVersion(view.versioning)
  return { user, auth, version, request: undefined, view, baseUrl: publicUrl + prefix }
}

/**
 * The same context without permissions: calls may use every row, and no permission policy is asked. Fields, validation and
 * hooks work as ever, and the hooks get a context that ignores permissions too.
 *
 * @example
 * await invoices.create({ order: key }, ignorePermissions(context))
 */
export const ignorePermissions = <User extends Identity, Context extends CallContext<User>>(
  context: Context,
): Context => ({ ...context, ignoresPermissions: true })
