// One attempt at a delivery. What it sends is read at that time, with the rights of the owner at that time: a row that the owner does
// not see any more is not sent, also if the delivery waited for days.

import { type Database, formatDateTime, formatEvent, type KeyValue, type RowChange } from '#core'
import type { JobContext } from '../job.ts'
import { type FollowOptions, followAsOwner, type Subscription, switchOffWebhook, toSubscription } from './follow.ts'
import { type SendOptions, type SendResult, sendMessage, type TargetRules } from './send.ts'
import { signMessage } from './signature.ts'

export interface DeliverOptions extends FollowOptions, TargetRules, Pick<SendOptions, 'timeLimit' | 'lookup'> {
  readonly retries: number
  /** The number of deliveries in a row that fail in the end before the subscription is switched off. */
  readonly maxFailures: number
}

interface Delivery {
  readonly id: number
  readonly messageId: string
  readonly event: string
  readonly key: KeyValue
  readonly change: RowChange | null
  readonly createdAt: Date
  readonly subscription: Subscription
}

/** Sends a delivery that waits. Rejects if it has to be tried again. */
export async function attemptDelivery(id: number, context: JobContext, options: DeliverOptions): Promise<string> {
  const database = context.view.connection()
  const now = context.view.clock()
  const delivery = await findDelivery(database, id, now)
  if (delivery === undefined) return 'There is nothing to send.'
  const { subscription } = delivery
  const cancel = (error: string) =>
    store(database, delivery, { state: 'cancelled', error, ended_at: formatDateTime(now)! })
  if (!subscription.isActive) return cancel('The subscription is switched off.')
  const body = await createBody(delivery, context, options)
  if (body === undefined) return cancel('The owner of the subscription does not see the object any more.')
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'resource-api',
    ...signMessage({ id: delivery.messageId, body }, subscription.secrets, now),
  }
  const result = await sendMessage(subscription.url, { ...options, headers, body, signal: context.signal })
  return storeResult(database, delivery, result, context, options)
}

async function findDelivery(database: Database, id: number, now: Date): Promise<Delivery | undefined> {
  const { kysely } = database
  const row = await kysely
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('state', '=', 'waiting')
    .executeTakeFirst()
  const subscription =
    row && (await kysely.selectFrom('webhooks').selectAll().where('id', '=', row.webhook_id).executeTakeFirst())
  if (row === undefined || subscription === undefined) return undefined
  return {
    id,
    messageId: row.message_id,
    event: row.event,
    key: JSON.parse(row.object_key),
    change: typeof row.change === 'string' ? JSON.parse(row.change) : row.change,
    createdAt: new Date(row.created_at),
    subscription: toSubscription(subscription, now),
  }
}

/** The body of the message; undefined if the owner may not see it any more. */
async function createBody(
  { event, key, change, createdAt, subscription }: Delivery,
  context: JobContext,
  options: FollowOptions,
): Promise<string | undefined> {
  const wrap = (data: string) =>
    `{"type":${JSON.stringify(event)},"timestamp":"${createdAt.toISOString()}","data":{${data}}}`
  const find = await followAsOwner(subscription, context, options)
  if (find === undefined) return undefined
  if (change === null) return wrap('')
  const events = await find({ rows: new Map([['', change]]) })
  if (/\.(?:deleted|hidden)$/.test(event)) return events.length > 0 ? wrap(formatEvent({ key })) : undefined
  const current = events.find(({ object }) => object !== undefined)
  return current && wrap(formatEvent(current))
}

async function storeResult(
  database: Database,
  delivery: Delivery,
  { status, error }: SendResult,
  { job: { attempt: attempts }, view }: JobContext,
  { retries, maxFailures }: DeliverOptions,
): Promise<string> {
  const now = view.clock()
  const { subscription } = delivery
  const ended_at = formatDateTime(now)!
  if (error === null) {
    if (subscription.hasFailures) await resetFailures(database, subscription)
    return store(database, delivery, { state: 'delivered', status, error, attempts, ended_at })
  }
  const isGone = status === 410
  const isLast = isGone || attempts > retries
  await store(database, delivery, { status, error, attempts, ...(isLast && { state: 'failed', ended_at }) })
  if (isGone) await switchOffWebhook(database, subscription, 'The server responded 410: the URL is gone.', now)
  else if (isLast) await countFailure(database, subscription, maxFailures, error, now)
  if (isGone) return error
  throw new Error(error)
}

// Other deliveries of the subscription may fail at the same time.
async function countFailure(
  database: Database,
  subscription: Subscription,
  maxFailures: number,
  error: string,
  now: Date,
): Promise<void> {
  const row = await database.transaction(({ kysely }) =>
    kysely
      .updateTable('webhooks')
      .set(({ eb }) => ({ failures: eb('failures', '+', 1) }))
      .where('id', '=', subscription.id)
      .returning('failures')
      .executeTakeFirst(),
  )
  if (row !== undefined && Number(row.failures) >= maxFailures)
    await switchOffWebhook(database, subscription, `${row.failures} deliveries failed in a row: ${error}`, now)
}

const resetFailures = (database: Database, { id }: Subscription) =>
  database.transaction(({ kysely }) =>
    kysely.updateTable('webhooks').set({ failures: 0 }).where('id', '=', id).where('failures', '>', 0).execute(),
  )

async function store(
  database: Database,
  { id }: Delivery,
  values: Readonly<Record<string, string | number | null>>,
): Promise<string> {
  await database.transaction(({ kysely }) =>
    kysely.updateTable('webhook_deliveries').set(values).where('id', '=', id).execute(),
  )
  return String(values.state ?? values.error)
}
