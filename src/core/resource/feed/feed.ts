// The changes of a list: `GET /orders/feed/` sends them as they happen, as server-sent events (HTML, "Server-sent events"), and
// `GET /orders/changes/` those since a position, for clients that synchronise. Each delivery passes the checks of a new request for the
// list, so a caller who loses a right gets nothing more.

import { APIException, FeedPositionExpired, NotFound } from '../../errors/exceptions.ts'
import type { HandlerContext, RowEvent } from '../../http/context.ts'
import { FileContent, JsonText } from '../../http/response.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { authenticate } from '../../policy/authentication/scheme.ts'
import { findRefusal } from '../../policy/permissions/permission.ts'
import { logError } from '../../view/errors/log-error.ts'
import { loggableError } from '../../view/errors/loggable-error.ts'
import type { Handler, View } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { parseSearch } from '../bind/seen-resource.ts'
import type { ListScope } from '../read/list.ts'
import { findChangeListener } from './change-listener.ts'
import { formatPosition, type Position, parsePosition } from './change-log.ts'
import { createEventStream } from './event-stream.ts'
import { createEventFinder, formatEvent } from './feed-events.ts'

/** The list whose changes are sent. `check` rejects if it does not exist for the caller. */
export interface FeedScope extends ListScope {
  readonly check: (context: HandlerContext) => Promise<unknown>
}

/** Milliseconds between two comments, which keep the connection open, and after which the rights are checked again. */
const heartbeat = 15_000

/** The handler of the changes since a position. */
export function listChanges(bound: BoundResource, scope: FeedScope): Handler {
  const prepare = createEventFinder(bound, scope)
  const listener = findChangeListener(bound.database)
  return async context => {
    await scope.check(context)
    const find = await prepare(context)
    const since = new URLSearchParams(parseSearch(context.request.url)).get('since')
    if (since === null) return respond([], (await listener.findEnd()).end, false)
    const position = parsePosition(since)
    if (position === undefined) throw new NotFound(frameworkMessages('not_found.cursor'))
    const changes = await listener.read(bound.resource.table, position)
    if (changes === undefined) throw new FeedPositionExpired()
    return respond(await find(changes), changes.end, changes.hasMore)
  }
}

function respond(events: readonly RowEvent[], end: Position, hasMore: boolean) {
  const changes = events.map(event => `{"event":"${event.event}",${formatEvent(event)}}`)
  const text = `{"next":"${formatPosition(end)}","has_more":${hasMore},"changes":[${changes.join(',')}]}`
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: new JsonText(text) }
}

/** The handler of the feed. */
export function openFeed(bound: BoundResource, scope: FeedScope): Handler {
  const prepare = createEventFinder(bound, scope)
  return async context => {
    await scope.check(context)
    await prepare(context)
    if (context.method === 'HEAD') return { status: 200, headers: feedHeaders }
    const stream = createEventStream(context.request.server.server, signal =>
      writeFeed(bound, context, signal, async () => {
        const renewed = await renew(context)
        await scope.check(renewed)
        return prepare(renewed)
      }),
    )
    return { status: 200, headers: feedHeaders, body: new FileContent(stream) }
  }
}

const feedHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // Some proxies would otherwise collect events.
  'x-accel-buffering': 'no',
}

type Prepare = () => ReturnType<ReturnType<typeof createEventFinder>>

async function* writeFeed(
  { database, resource }: BoundResource,
  context: HandlerContext,
  signal: AbortSignal,
  prepare: Prepare,
): AsyncGenerator<string> {
  const listener = findChangeListener(database)
  const close = listener.open()
  try {
    const known = readLastEventId(context)
    let { end: position } = await listener.findEnd()
    if (known === null) yield formatMessage('reset', '{}', position)
    else if (known === undefined) yield formatMessage('ready', '{}', position)
    else position = known
    while (!signal.aborted) {
      const changes = await listener.readTogether(resource.table, position)
      const find = await prepare()
      if (changes === undefined) {
        position = (await listener.findEnd()).end
        yield formatMessage('reset', '{}', position)
        continue
      }
      position = changes.end
      const text = formatMessages(await find(changes), position)
      if (text !== '') yield text
      if (changes.hasMore) continue
      const isWoken = await listener.wait(position, heartbeat, signal)
      if (!isWoken && !signal.aborted) yield `:\n\n`
    }
  } catch (error) {
    // The client connects again, and then gets the refusal as a response.
    if (!(error instanceof APIException)) logError('error', context.request, loggableError(error), 'a feed failed')
  } finally {
    close()
  }
}

// Undefined without a position; null if it cannot be continued.
function readLastEventId({ request }: HandlerContext): Position | null | undefined {
  const given =
    request.headers['last-event-id'] ?? new URLSearchParams(parseSearch(request.url)).get('since') ?? undefined
  return given === undefined ? undefined : (parsePosition(String(given)) ?? null)
}

/** The caller, identified and checked anew. */
async function renew(context: HandlerContext): Promise<HandlerContext> {
  const { request, baseUrl } = context
  const view = context.view as View
  const { user, auth } = await authenticate(request, view, baseUrl)
  const renewed = { ...context, user, auth }
  const refusal = await findRefusal(renewed, view.permissions)
  if (refusal !== undefined) throw refusal
  return renewed
}

// A client that is cut off gets all events of the last messages again.
const formatMessages = (events: readonly RowEvent[], end: Position): string =>
  events
    .map((event, index) =>
      formatMessage(event.event, `{${formatEvent(event)}}`, index === events.length - 1 ? end : undefined),
    )
    .join('')

const formatMessage = (event: string, data: string, position: Position | undefined): string =>
  `${position === undefined ? '' : `id: ${formatPosition(position)}\n`}event: ${event}\ndata: ${data}\n\n`
