// The values of a request in the SQL of fields: properties of the caller, and the time. They are parameters of the
// statement, read once per request.

import type { RequestContext } from '../context.ts'
import { type Arguments, parameter, type SqlValue } from '../database/database.ts'
import type { Sql } from '../database/dialect.ts'
import { readCallerProperty } from '../sql-references.ts'
import { formatDateTime } from './date-time.ts'
import type { Fields } from './field.ts'

// The spaces prevent a conflict with the parameters of columns, which have the names of the columns.
const callerPrefix = 'caller '
const nowName = 'time of the request'

/** A property of the caller. */
export const callerParameter = (name: string): Sql => parameter(callerPrefix + name)

/** The time of the request. */
export const nowParameter: Sql = parameter(nowName)

/** Reads the values that the SQL of fields uses. Throws if SQL cannot take a property of the caller. */
export type ReadRequestValues = (context: RequestContext) => Arguments

const noValues: Arguments = Object.freeze({})

/** Creates the reader for these fields of a resource. */
export function createRequestValues(resource: string, fields: Fields, clock: () => Date): ReadRequestValues {
  const used = Object.entries(fields).flatMap(([name, { requestUses, writeOnly }]) =>
    requestUses === undefined || writeOnly
      ? []
      : [{ owner: `resource "${resource}": field "${name}"`, ...requestUses }],
  )
  // The first field that uses a property is the one that an error names.
  const owners = new Map(
    used.flatMap(({ owner, caller }) => caller.map((property): [string, string] => [property, owner])).reverse(),
  )
  const usesNow = used.some(({ now }) => now)
  if (owners.size === 0 && !usesNow) return () => noValues
  return ({ user }) => {
    const values: Record<string, SqlValue> = {}
    for (const [property, owner] of owners) values[callerPrefix + property] = readCallerProperty(user, property, owner)
    if (usesNow) values[nowName] = formatDateTime(clock())!
    return values
  }
}
