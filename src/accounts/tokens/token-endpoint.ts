// The token endpoint (END-TOKEN): returns the user's token for a username and password, sent as JSON or as a form.

import {
  ConstraintViolation,
  type Database,
  type DescribeOperation,
  describeErrors,
  describeTakenObject,
  errorDescriptions,
  type Fields,
  formParser,
  jsonParser,
  jsonRenderer,
  multipartParser,
  readFields,
  type Throttle,
  text,
  ValidationError,
  type ViewOptions,
} from '#core'
import type { LoginThrottle } from '../login-throttle.ts'
import { accountMessages } from '../messages.ts'
import type { User } from '../user.ts'
import type { Users } from '../users.ts'
import type { TokenIssuer } from './token-issuer.ts'

export interface TokenEndpointOptions {
  readonly database: Database
  readonly users: Users
  readonly tokens: TokenIssuer
  readonly loginThrottle: LoginThrottle
  /** Default: none (END-TOKEN-2). */
  readonly throttles?: readonly Throttle[]
  /** Adds properties to the response (END-TOKEN-3). */
  readonly extend?: ((user: User) => Readonly<Record<string, unknown>>) | undefined
  /** Asks accounts that have one for a code; default: no. */
  readonly secondFactors?: CheckedFactors | undefined
}

/** The part of the second factors that a login needs. */
interface CheckedFactors {
  /** Undefined if the account has none. */
  find(userId: number): Promise<object | undefined>
  verify(userId: number, code: string): Promise<boolean>
}

const credentials = { username: text({ label: 'Username' }), password: text({ trim: false, label: 'Password' }) }
const limit = 64 * 1024

const createLoginError = () => new ValidationError(accountMessages('authorization'))

/**
 * Accepts JSON and forms, and responds with JSON. Requires no permissions and has only the throttles in `throttles`:
 * the API's defaults do not apply (END-TOKEN-1, END-TOKEN-2). Invalid credentials in a header still end the request
 * (AUTH-GEN-4).
 *
 * @example
 * const views = { '/token/': tokenEndpoint({ database, users, tokens, loginThrottle }) }
 */
export function tokenEndpoint(options: TokenEndpointOptions): ViewOptions {
  const { database, tokens, loginThrottle, throttles = [], extend, secondFactors } = options
  const fields = { ...credentials, ...(secondFactors && codeFields), ...tokens.fields }
  return {
    name: 'Obtain Auth Token',
    // The service wraps `loginThrottle.guard` to record each password check in the audit log.
    auditEvent: null,
    permissions: [],
    throttles,
    parsers: [jsonParser({ limit }), formParser({ limit }), multipartParser({ limit })],
    renderers: [jsonRenderer],
    lenientAccept: true,
    // Errors and descriptions have this field too.
    headers: { 'cache-control': 'no-store' },
    operations: { POST: describeLogin(fields) },
    openapi: { tags: ['accounts'] },
    handlers: {
      async POST({ request, requestBody, baseUrl }) {
        const context = { baseUrl, route: () => undefined }
        const { code, ...taken } = (await readFields(fields, requestBody, { context })) as Record<string, string>
        const { username, password: _, ...values } = taken
        const user = await loginThrottle.guard(request, username!, () => verify(options, taken, code))
        if (user === undefined) throw createLoginError()
        const { token, details } = await database
          .transaction(connection => tokens.issue(user.id, values, connection))
          .catch(error => {
            // The user was deleted in the meantime.
            throw error instanceof ConstraintViolation ? createLoginError() : error
          })
        return { status: 200, body: { token, ...details, ...extend?.(user) } }
      },
    },
  }
}

const codeFields = { code: text({ max: 40, required: false, help: accountMessages('openapi.code') }) }

// An error that is thrown while the password is verified does not count as a failed login: the password was right.
async function verify(
  { users, secondFactors }: TokenEndpointOptions,
  { username, password }: Readonly<Record<string, string>>,
  code: string | undefined,
): Promise<User | undefined> {
  const user = await users.verify(username!, password!)
  if (user === undefined || (await secondFactors?.find(user.id)) === undefined) return user
  if (code === undefined) throw new ValidationError({ code: [accountMessages('factor.code_needed')] })
  return (await secondFactors!.verify(user.id, code)) ? user : undefined
}

const describeLogin =
  (fields: Fields): DescribeOperation =>
  context => {
    const schema = describeTakenObject(fields, { method: 'POST' }, context)
    return {
      id: 'obtainAuthToken',
      summary: accountMessages('openapi.get_token'),
      description: accountMessages('openapi.token_endpoint'),
      body: { required: true, schema, form: schema },
      responses: {
        200: {
          description: accountMessages('openapi.token'),
          schema: { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] },
        },
      },
      errors: {
        invalid: [describeErrors(fields, context, context)],
        // Failed logins are throttled.
        statuses: { 429: errorDescriptions[429] },
        usesDatabase: true,
      },
    }
  }
