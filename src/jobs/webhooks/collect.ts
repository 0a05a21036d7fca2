// Turns the recorded changes of tables into deliveries. The position in the record moves in the transaction that stores the
// deliveries, so each change is turned into deliveries once, however many processes do so.

import { randomUUID } from 'node:crypto'
import {
  type CallContext,
  type Connection,
  type Database,
  findChangeListener,
  formatDateTime,
  formatPosition,
  isAfter,
  parsePosition,
  type Resource,
  type RowChange,
} from '#core'
import type { Job, JobContext } from '../job.ts'
import { type FollowOptions, followAsOwner, type Subscription, toSubscription } from './follow.ts'

export interface CollectOptions extends FollowOptions {
  readonly deliver: Pick<Job<Record<never, never>>, 'priority'> & {
    enqueue(payload: { readonly delivery: number }, context: CallContext): Promise<unknown>
  }
}

type Changes = Awaited<ReturnType<ReturnType<typeof findChangeListener>['read']>>

interface NewDelivery {
  readonly subscription: Subscription
  readonly event: string
  readonly key: unknown
  readonly change: RowChange | null
}

/** Milliseconds for which ended deliveries are kept. */
const retention = 30 * 24 * 3_600_000

/** Whether there are changes that no delivery was made for, on the tables of these resources. */
export async function hasNewChanges(database: Database, resources: readonly Resource[]): Promise<boolean> {
  const rows = await database.kysely
    .selectFrom('webhook_positions')
    .select('position')
    .where(
      'resource',
      'in',
      resources.map(({ name }) => name),
    )
    .execute()
  if (rows.length < resources.length) return true
  const { end } = await findChangeListener(database).findEnd()
  return rows.some(row => {
    const position = parsePosition(String(row.position))
    return position === undefined || position.origin !== end.origin || isAfter(end, position)
  })
}

/** Makes the deliveries of all changes since the last time. */
export async function collectChanges(context: JobContext, options: CollectOptions): Promise<void> {
  const database = context.view.connection()
  for (const resource of options.resources)
    while (await collectSome(database, resource, context, options)) context.signal.throwIfAborted()
  const before = formatDateTime(new Date(context.view.clock().getTime() - retention))!
  await database.transaction(({ kysely }) =>
    kysely.deleteFrom('webhook_deliveries').where('ended_at', '<=', before).execute(),
  )
}

/** Resolves to whether there may be more changes. */
async function collectSome(
  database: Database,
  resource: Resource,
  context: JobContext,
  options: CollectOptions,
): Promise<boolean> {
  const log = findChangeListener(database)
  const stored = await findPosition(database, resource)
  const position = stored === undefined ? (await log.findEnd()).end : parsePosition(stored)
  const changes = position && (await log.read(resource.table, position))
  const next = formatPosition(changes?.end ?? (await log.findEnd()).end)
  if (next === stored) return false
  const now = context.view.clock()
  const subscriptions = (await findSubscriptions(database, resource)).map(row => toSubscription(row, now))
  const deliveries = await findDeliveries(subscriptions, resource, changes, context, options)
  const isMoved = await database.transaction(async connection => {
    if (!(await movePosition(connection, resource, stored, next))) return false
    for (const delivery of deliveries) {
      const id = await insertDelivery(connection, delivery, formatDateTime(now)!)
      await options.deliver.enqueue({ delivery: id }, { ...context, connection })
    }
    return true
  })
  return isMoved && changes?.hasMore === true
}

// Until the first changes are read, the position is that of the oldest subscription.
async function findPosition({ kysely }: Database, { name }: Resource): Promise<string | undefined> {
  const own = await kysely
    .selectFrom('webhook_positions')
    .select('position')
    .where('resource', '=', name)
    .executeTakeFirst()
  if (own !== undefined) return own.position as string
  const oldest = await kysely
    .selectFrom('webhooks')
    .select('since')
    .where('resource', '=', name)
    .orderBy('id')
    .executeTakeFirst()
  return oldest?.since as string | undefined
}

const findSubscriptions = ({ kysely }: Database, { name }: Resource) =>
  kysely.selectFrom('webhooks').selectAll().where('resource', '=', name).where('active', '=', true).execute()

async function findDeliveries(
  subscriptions: readonly Subscription[],
  { name }: Resource,
  changes: Changes,
  context: JobContext,
  options: CollectOptions,
): Promise<readonly NewDelivery[]> {
  const deliveries: NewDelivery[] = []
  for (const subscription of subscriptions) {
    if (changes === undefined) {
      deliveries.push({ subscription, event: `${name}.reset`, key: null, change: null })
      continue
    }
    const find = changes.rows.size === 0 ? undefined : await followAsOwner(subscription, context, options)
    if (find === undefined) continue
    for (const { event, key, change } of await find(changes))
      if (subscription.events.includes(event)) deliveries.push({ subscription, event: `${name}.${event}`, key, change })
  }
  return deliveries
}

/** Resolves to whether no other process has moved it meanwhile. */
async function movePosition(
  { kysely }: Connection,
  { name: resource }: Resource,
  stored: string | undefined,
  position: string,
): Promise<boolean> {
  const inserted = await kysely
    .insertInto('webhook_positions')
    .values({ resource, position })
    .onConflict(conflict => conflict.column('resource').doNothing())
    .returning('resource')
    .executeTakeFirst()
  if (inserted !== undefined) return true
  const moved = await kysely
    .updateTable('webhook_positions')
    .set({ position })
    .where('resource', '=', resource)
    .where('position', '=', stored ?? '')
    .returning('resource')
    .executeTakeFirst()
  return moved !== undefined
}

async function insertDelivery(
  { kysely }: Connection,
  { subscription, event, key, change }: NewDelivery,
  now: string,
): Promise<number> {
  const { id } = await kysely
    .insertInto('webhook_deliveries')
    .values({
      webhook_id: subscription.id,
      owner_id: subscription.ownerId,
      message_id: `msg_${randomUUID().replaceAll('-', '')}`,
      event,
      object_key: JSON.stringify(key),
      change: JSON.stringify(change),
      state: 'waiting',
      attempts: 0,
      created_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(id)
}
