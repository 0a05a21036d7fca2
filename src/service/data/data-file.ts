// Checks a data file: its structure, its values and their uniqueness within the file. The fields of the HTTP API check
// the values, so that a file and a request are rejected with the same messages.

import { boolean, dateTime, integer, text, ValidationError } from 'resource-api'
import {
  emailField,
  groupNameField,
  isPasswordHash,
  maxPasswordLength,
  remoteIdentityField,
  usernameField,
} from 'resource-api/accounts'
import { defineField, type Field, formatTypeName, invalid, parseText } from 'resource-api/extend'
import { snippetFields } from 'resource-api/snippets'
import * as z from 'zod'
import type { Settings } from '../settings/settings.ts'

/** Thrown if a data file is invalid; the message begins with the path of the value, such as `users[3].email`. */
export class DataError extends Error {
  override name = 'DataError'
}

/** The content of a data file, checked and completed with defaults. */
export type Data = z.output<ReturnType<typeof dataSchema>>

/** Parses the content of a data file; throws DataError for the first invalid value. Does not use the database. */
export function parseData(data: unknown, settings: Pick<Settings, 'codeLimit'>): Data {
  const result = dataSchema(settings).safeParse(data)
  if (result.success) return result.data
  const { path, message } = result.error.issues[0]!
  throw new DataError(path.length === 0 ? message : `${formatPath(path)}: ${message}`)
}

const id = integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

// If a hash were taken as a plain password, anyone who has the hash could log in with it.
const looksHashed =
  /^(?:pbkdf2_sha\d+|argon2\w*|bcrypt\w*|scrypt|md5|sha1|\$(?:argon2\w*|2[abxy]|scrypt|pbkdf2[\w-]*|[156y]))\$|^![A-Za-z0-9]{40}$/

const password = defineField<string>(
  {},
  {
    type: 'string',
    parse(input) {
      const value = parseText(input, { trim: false })
      if (looksHashed.test(value) && !isPasswordHash(value)) {
        throw invalid('This is a hash that cannot be verified here.', 'unknown_hash')
      }
      if (Buffer.byteLength(value) <= maxPasswordLength) return value
      throw invalid(`Ensure this field has no more than ${maxPasswordLength} bytes.`, 'max_length')
    },
  },
)

const token = text({
  max: 128,
  trim: false,
  pattern: { test: /^[\x21-\x7e]+$/, message: 'Enter visible ASCII characters without spaces.' },
})

const groupRow = { id: optional(id), name: value(groupNameField) }

const userRow = {
  id: optional(id),
  username: value(usernameField),
  email: value(emailField).default(''),
  remote_identity: optional(remoteIdentityField),
  password: optional(password),
  is_active: value(boolean()).default(true),
  is_staff: value(boolean()).default(false),
  is_superuser: value(boolean()).default(false),
  date_joined: optional(dateTime()),
  groups: list(value(id)),
  token: optional(token),
}

function snippetRow(settings: Pick<Settings, 'codeLimit'>) {
  const { title, code, linenos, language, style } = snippetFields(settings)
  return {
    id: optional(id),
    owner: value(usernameField),
    title: value(title).default(title.default!),
    code: value(code),
    linenos: value(linenos).default(linenos.default!),
    language: value(language).default(language.default!),
    style: value(style).default(style.default!),
    created: optional(dateTime()),
  }
}

function dataSchema(settings: Pick<Settings, 'codeLimit'>) {
  return object({
    groups: list(object(groupRow)).superRefine(unique('groups', 'id', 'name')),
    users: list(object(userRow)).superRefine(unique('users', 'id', 'username', 'remote_identity', 'token')),
    snippets: list(object(snippetRow(settings))).superRefine(unique('snippets', 'id')),
  })
}

function value<Value>(field: Field<Value>) {
  return z.unknown().transform((input, context): Value => {
    try {
      if (input === undefined) throw invalid('This field is required.', 'required')
      if (input === null) throw invalid('This field may not be null.', 'null')
      // These fields parse synchronously.
      return field.parse(input, { baseUrl: '', route: () => undefined }) as Value
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error
      context.addIssue({ code: 'custom', message: [error.detail].flat().join(' ') })
      return z.NEVER
    }
  })
}

function optional<Value>(field: Field<Value>) {
  return value(field).optional()
}

function list<Item extends z.ZodType>(item: Item) {
  const error = ({ input }: Issue) => `Expected a list of items but got type "${formatTypeName(input)}".`
  return z.array(item, { error }).default([])
}

function object<Shape extends z.ZodRawShape>(shape: Shape) {
  const error = ({ keys, input }: Issue) =>
    keys === undefined
      ? `Invalid data. Expected a dictionary, but got ${formatTypeName(input)}.`
      : `unknown key ${keys.map(key => JSON.stringify(key)).join(', ')}`
  return z.strictObject(shape, { error })
}

/** `keys` are the unknown keys of an object. */
interface Issue {
  readonly input?: unknown
  readonly keys?: readonly string[]
}

type Rows = readonly Readonly<Record<string, unknown>>[]

function unique(listName: string, ...properties: readonly string[]) {
  return (rows: Rows, context: z.core.$RefinementCtx<Rows>): void => {
    for (const property of properties) {
      const firstIndexes = new Map<unknown, number>()
      for (const [index, row] of rows.entries()) {
        const first = row[property] === undefined ? undefined : firstIndexes.get(row[property])
        if (first === undefined) firstIndexes.set(row[property], index)
        else
          context.addIssue({
            code: 'custom',
            path: [index, property],
            message: `the same as ${listName}[${first}].${property}`,
          })
      }
    }
  }
}

function formatPath([first, ...segments]: readonly PropertyKey[]): string {
  return segments.reduce<string>(
    (path, segment) => path + (typeof segment === 'number' ? `[${segment}]` : `.${String(segment)}`),
    String(first),
  )
}
