import type { Arguments, Connection } from '../../database/database.ts'
import { NotFound } from '../../errors/exceptions.ts'
import { formatHttpDate } from '../../http/conditional/http-date.ts'
import type { HandlerContext } from '../../http/context.ts'
import { JsonText } from '../../http/response.ts'
import type { KeyValue } from '../../keys/key.ts'
import { wrapObject } from '../../view/envelope/wrap.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { seenBy } from '../bind/seen-resource.ts'
import { readStatementValues } from '../sql/related-rows.ts'

/** A representation, and when it was modified, as an HTTP date. */
export interface Representation {
  readonly json: string
  readonly lastModified: string | undefined
}

/** Finds what a GET of an object's URL shows; undefined if it shows the caller no object. */
export type FindRepresentation = (key: KeyValue, connection: Connection) => Promise<Representation | undefined>

/** Reads the values of the caller, which the returned function then uses on any connection. */
export async function prepareRepresentation(
  bound: BoundResource,
  context: HandlerContext,
): Promise<FindRepresentation> {
  const { statements, plans, related } = seenBy(bound, context)
  const { filter, serializer, readRequestValues } = plans.retrieve
  const values: Arguments = {
    base: context.baseUrl,
    ...(await readStatementValues(filter, related, { ...context, method: 'GET' })),
    ...readRequestValues(context),
  }
  return async (key, connection) => {
    const row = await connection.first(statements.retrieveByKey, { ...values, id: key })
    if (row === undefined) return undefined
    const [json, , modified] = row
    return {
      json: wrapObject(await serializer.serialize(json, context), bound.envelope),
      lastModified: formatLastModified(modified),
    }
  }
}

/** Returns what a GET of an object's URL shows; rejects with NotFound if it shows the caller no object. */
export async function represent(
  bound: BoundResource,
  context: HandlerContext,
  key: KeyValue,
  connection: Connection,
): Promise<JsonText> {
  const find = await prepareRepresentation(bound, context)
  const found = await find(key, connection)
  if (found === undefined) throw new NotFound()
  return new JsonText(found.json)
}

/** Formats the time of the column that `lastModified` names; undefined for null. */
export const formatLastModified = (modified: string | null | undefined): string | undefined =>
  modified == null ? undefined : formatHttpDate(modified)
