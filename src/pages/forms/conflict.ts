// The state of an object that somebody has changed since the caller's page was made.

import type { PageContext } from '../page/page-context.ts'
import { readOwnView } from '../page/read-view.ts'
import { type ResponseData, readResponseData } from '../page/response-data.ts'

/** The current object and its `ETag`. */
export type Conflict = Pick<ResponseData, 'body' | 'etag'>

/** Reads the object at the URL of a rejected change; undefined if it is gone, or the caller may not read it. */
export async function readConflict(context: PageContext): Promise<Conflict | undefined> {
  const body = await readOwnView(context)
  return body === undefined ? undefined : readResponseData(body)
}
