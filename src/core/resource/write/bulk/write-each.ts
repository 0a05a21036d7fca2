// Writes the items that can be written, and undoes those that are refused.

import { timeSlices } from '../../../base/time-slices.ts'
import type { Connection } from '../../../database/database.ts'
import { type APIException, NotFound } from '../../../errors/exceptions.ts'
import type { HandlerContext } from '../../../http/context.ts'
import { exceptionHandler } from '../../../http/errors/exception-handler.ts'
import { createLocalization, localizeError } from '../../../http/languages/localize.ts'
import type { View } from '../../../view/view.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { enterConnection } from '../../bind/restrict.ts'
import type { Written } from '../rows/row-writer.ts'
import { isItemError } from '../rows/settle-each.ts'

/** How many items are written before the event loop may run. */
const itemsPerSlice = 8

/** A written item, or the error of a refused one. */
export type Outcome = Written | { readonly error: APIException }

/** Writes the items of a request. */
export interface ItemWriter<Item> {
  /** Writes all items, or none. */
  all(): Promise<readonly Written[]>
  /** Prepares to lock the objects of the items in an order that is the same for all requests; undefined for new objects. */
  readonly prepareLock?: () => Promise<(connection: Connection) => Promise<void>>
  one(entered: BoundResource, item: Item): Promise<Written>
}

/**
 * Writes the items with `all`; if it rejects with errors of items, with `one`, each in a savepoint of one transaction.
 */
export async function writeEach<Item>(
  bound: BoundResource,
  items: readonly Item[],
  { all, prepareLock, one }: ItemWriter<Item>,
): Promise<readonly Outcome[]> {
  try {
    return await all()
  } catch (error) {
    // Errors of items have places. A missing object without one is the parent in the URL.
    if (!isItemError(error) || error instanceof NotFound) throw error
  }
  const lock = await prepareLock?.()
  return bound.database.transaction(async connection => {
    await lock?.(connection)
    const entered = enterConnection(bound, connection)
    const outcomes: Outcome[] = []
    await timeSlices.inGroups(items, itemsPerSlice, async group => {
      for (const item of group) outcomes.push(await writeOne(() => one(entered, item)))
    })
    return outcomes
  })
}

async function writeOne(write: () => Promise<Written>): Promise<Outcome> {
  try {
    return await write()
  } catch (error) {
    if (isItemError(error)) return { error }
    throw error
  }
}

/** The status and the body of a refused item, in the caller's language. */
export function formatRefusal(
  error: APIException,
  { request, view }: HandlerContext,
): { readonly status: number; readonly body: unknown } {
  // Handlers know only a part of their view.
  const { refusal, nonFieldErrorsKey, findTranslation, name } = view as View
  const { translate } = createLocalization(findTranslation, request)
  const context = {
    request,
    viewName: name,
    resource: undefined,
    refusal,
    nonFieldErrorsKey,
    problem: false,
    translate,
  }
  const { status, body } = exceptionHandler(localizeError(error, { translate }), context)!
  return { status, body }
}
