// The token endpoint (END-TOKEN): a user name and a password, as JSON or as a form, for the user's token.

import { ConstraintViolation, type Database } from '../../framework/database/database.ts'
import { ValidationError } from '../../framework/errors/exceptions.ts'
import { readFields } from '../../framework/fields/read-fields.ts'
import { text } from '../../framework/fields/text.ts'
import { formParser } from '../../framework/parsers/form.ts'
import { jsonParser } from '../../framework/parsers/json.ts'
import { multipartParser } from '../../framework/parsers/multipart.ts'
import { jsonRenderer } from '../../framework/renderers/json.ts'
import type { Throttle } from '../../framework/throttling/throttle.ts'
import type { ViewOptions } from '../../framework/view.ts'
import type { LoginThrottle } from '../login-throttle.ts'
import type { User } from '../user.ts'
import type { Users } from '../users.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface TokenEndpointOptions {
  readonly database: Database
  readonly users: Users
  readonly tokens: TokenIssuer
  readonly loginBrake: LoginThrottle
  /** Default: none (END-TOKEN-2). */
  readonly throttles?: readonly Throttle[]
  /** More of the user for the answer (END-TOKEN-3). */
  readonly extend?: ((user: User) => Readonly<Record<string, unknown>>) | undefined
}

const credentials = { username: text({ label: 'Username' }), password: text({ trim: false, label: 'Password' }) }
const limit = 64 * 1024

const refused = () => new ValidationError('Unable to log in with provided credentials.', 'authorization')

/**
 * Always JSON out, JSON or a form in, and no permission or throttle by default, whatever the API says (END-TOKEN-1,
 * END-TOKEN-2). Credentials in a header are checked as everywhere: wrong ones end the request (AUTH-GEN-4).
 */
export function tokenEndpoint(options: TokenEndpointOptions): ViewOptions {
  const { database, users, tokens, loginBrake, throttles = [], extend } = options
  const fields = { ...credentials, ...tokens.fields }
  return {
    name: 'Obtain Auth Token',
    // The login throttle's guard is told of each password, right or wrong.
    auditEvent: null,
    permissions: [],
    throttles,
    parsers: [jsonParser({ limit }), formParser({ limit }), multipartParser({ limit })],
    renderers: [jsonRenderer],
    lenientAccept: true,
    handlers: {
      async POST({ request, body, baseUrl }) {
        const context = { baseUrl, route: () => undefined }
        const { username, password, ...wanted } = (await readFields(fields, body, { context })) as Record<
          string,
          string
        >
        const user = await loginBrake.guard(request, username!, () => users.verify(username!, password!))
        if (user === undefined) throw refused()
        const { key, details } = await database
          .transaction(connection => tokens.issue(user.id, wanted, connection))
          .catch(error => {
            // The user was deleted meanwhile.
            throw error instanceof ConstraintViolation ? refused() : error
          })
        return {
          status: 200,
          headers: { 'cache-control': 'no-store' },
          body: { token: key, ...details, ...extend?.(user) },
        }
      },
    },
  }
}
