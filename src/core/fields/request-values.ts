// The values of a request in the SQL of fields: properties of the caller, and the time. They are parameters of the
// statement, read once per request.

import { type Arguments, noValues, parameter, type SqlValue } from '../database/database.ts'
import type { Sql } from '../database/dialect.ts'
import { castTo } from '../database/expressions.ts'
import type { RequestContext } from '../http/context.ts'
import type { DefaultContext, Fields, RequestUses } from './field.ts'
import { formatDateTime } from './kinds/date-time.ts'
import { readCallerProperty } from './sql-references.ts'

// The spaces prevent a conflict with the parameters of columns, which have the names of the columns.
const callerPrefix = 'caller '
const nowName = 'time of the request'
const languageName = 'language of the request'

/** A property of the caller. */
export const callerParameter = (name: string): Sql => parameter(callerPrefix + name)

/** The time of the request. */
export const nowParameter: Sql = parameter(nowName)

/** The language that the request prefers. */
export const languageParameter: Sql = castTo(parameter(languageName), 'text')

/** What the defaults of fields may depend on in this request. */
export const createOrigin = ({ user, auth, view }: RequestContext): DefaultContext => ({
  user,
  auth,
  now: formatDateTime(view.clock())!,
})

/** Reads the values that the SQL of fields uses. Throws if SQL cannot take a property of the caller. */
export type ReadRequestValues = (context: RequestContext) => Arguments

/** SQL that uses values of the request. `owner` begins the message of an error. */
export interface RequestUser extends RequestUses {
  readonly owner: string
}

/** The fields of a resource whose SQL uses values of the request. */
export const listRequestUsers = (resource: string, fields: Fields): readonly RequestUser[] =>
  Object.entries(fields).flatMap(([name, { requestUses, writeOnly }]) =>
    requestUses === undefined || writeOnly
      ? []
      : [{ owner: `resource "${resource}": field "${name}"`, ...requestUses }],
  )

/** Creates the reader of the values that SQL uses. */
export function createRequestValues(used: readonly RequestUser[], clock: () => Date): ReadRequestValues {
  // The first owner that uses a property is the one that an error names.
  const owners = new Map(
    used.flatMap(({ owner, caller }) => caller.map((property): [string, string] => [property, owner])).reverse(),
  )
  const usesNow = used.some(({ now }) => now)
  const usesLanguage = used.some(({ language }) => language)
  if (owners.size === 0 && !usesNow && !usesLanguage) return () => noValues
  return ({ user, request, view }) => {
    const values: Record<string, SqlValue> = {}
    for (const [property, owner] of owners) values[callerPrefix + property] = readCallerProperty(user, property, owner)
    if (usesNow) values[nowName] = formatDateTime(clock())!
    if (usesLanguage) values[languageName] = view.findLanguage(request)
    return values
  }
}
