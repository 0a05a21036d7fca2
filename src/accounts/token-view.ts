// The token endpoint (END-TOKEN): a user name and a password, as JSON or as a form, for the user's token.

import type { Database } from '../framework/database/database.ts'
import { ValidationError } from '../framework/errors/exceptions.ts'
import { readFields } from '../framework/fields/read-fields.ts'
import { text } from '../framework/fields/text.ts'
import { formParser } from '../framework/parsers/form.ts'
import { jsonParser } from '../framework/parsers/json.ts'
import { multipartParser } from '../framework/parsers/multipart.ts'
import { jsonRenderer } from '../framework/renderers/json.ts'
import type { ViewOptions } from '../framework/view.ts'
import type { Tokens } from './tokens.ts'
import type { User } from './user.ts'
import type { Users } from './users.ts'

export interface TokenViewOptions {
  readonly database: Database
  readonly users: Users
  readonly tokens: Tokens
  /** More of the user for the answer (END-TOKEN-3). */
  readonly extend?: ((user: User) => Readonly<Record<string, unknown>>) | undefined
}

const fields = { username: text({ label: 'Username' }), password: text({ trim: false, label: 'Password' }) }
const limit = 64 * 1024

/**
 * Always JSON out, JSON or a form in, and no permission or throttle by default, whatever the API says (END-TOKEN-1,
 * END-TOKEN-2). Credentials in a header are checked as everywhere: wrong ones end the request (AUTH-GEN-4).
 */
export function tokenView({ database, users, tokens, extend }: TokenViewOptions): ViewOptions {
  return {
    name: 'Obtain Auth Token',
    permissions: [],
    throttles: [],
    parsers: [jsonParser({ limit }), formParser({ limit }), multipartParser({ limit })],
    renderers: [jsonRenderer],
    lenientAccept: true,
    handlers: {
      async POST({ input, baseUrl }) {
        const context = { baseUrl, route: () => undefined }
        const { username, password } = (await readFields(fields, input, { context })) as Record<string, string>
        const user = await users.verify(username!, password!)
        if (user === undefined)
          throw new ValidationError('Unable to log in with provided credentials.', 'authorization')
        const token = await database.transaction(connection => tokens.getOrCreate(user.id, connection))
        return { status: 200, content: { token, ...extend?.(user) } }
      },
    },
  }
}
