// The resources of webhooks: each caller sees the own subscriptions and their deliveries.

import {
  authenticated,
  type CallContext,
  Conflict,
  caller,
  choice,
  cursor,
  dateTime,
  findChangeListener,
  formatDateTime,
  formatPosition,
  objectView,
  type Resource,
  readOnly,
  related,
  resource,
  rowFilter,
  text,
  ValidationError,
} from '#core'
import { refuseTarget, type TargetRules } from './send.ts'
import { createSecret } from './signature.ts'
import type { WebhookTables } from './tables.ts'

export interface SubscriptionsOptions extends TargetRules {
  readonly tables: WebhookTables
  /** The resources whose changes can be subscribed to. */
  readonly resources: readonly Resource[]
}

type EnqueueDelivery = (delivery: number, context: CallContext) => Promise<unknown>

/** Milliseconds for which deliveries are also signed with the secret before the newest one. */
const rotationTime = 24 * 3_600_000

const permissions = [authenticated, rowFilter({ owner: caller('id') })]
const ofOwner = {
  noStore: true,
  permissions,
  pagination: cursor({ ordering: '-id', pageSize: 50 }),
  suggestsIndexes: false,
} as const

/** Creates the subscriptions. */
export function createSubscriptions({ tables, resources, ...rules }: SubscriptionsOptions) {
  const names = resources.map(({ name }) => name)
  const { webhooks: table } = tables
  const shown = [
    'id',
    'url',
    'resource',
    'events',
    'filter',
    'active',
    'failures',
    'reason',
    'switched_off_at',
    'owner',
    'created_at',
  ] as const
  return resource('webhooks', {
    ...ofOwner,
    table,
    title: 'Webhook',
    description: 'URLs that are told what changes in a list.',
    objectName: 'url',
    fields: {
      ...table.pick('id', 'url'),
      resource: choice(names, names.length === 1 ? { default: names[0]! } : {}),
      ...table.pick('events', 'filter', 'active'),
      failures: readOnly(table.pick('failures').failures),
      reason: readOnly(table.pick('reason').reason),
      switched_off_at: readOnly(table.pick('switched_off_at').switched_off_at),
      owner: readOnly(text({ column: 'owner_name' })),
      created_at: table.pick('created_at').created_at,
      secret: readOnly(table.pick('secret').secret),
    },
    perAction: {
      list: { shows: shown },
      retrieve: { shows: shown },
      update: { shows: shown, takes: ['url', 'events', 'filter', 'active'] },
    },
    ordering: ['-id'],
    filters: { resource: true, active: true },
    hookColumns: ['owner_name', 'since', 'failures', 'reason', 'switched_off_at', 'secret'],
    async validate({ values, given, action, ...context }) {
      const refusal = refuseTarget(values.url, rules)
      if (refusal !== undefined && given.url !== undefined) throw new ValidationError({ url: refusal })
      if (action === 'create' || given.filter !== undefined) await checkFilter(values, resources, context)
    },
    async prepare({ action, given, user, view }) {
      if (action === 'update') return given.active === true ? { failures: 0, reason: null, switched_off_at: null } : {}
      const { end } = await findChangeListener(view.connection()).findEnd()
      return { owner_name: user.username, since: formatPosition(end), secret: createSecret() }
    },
    objectViews: { 'rotate-secret': rotateSecret },
    auditEvent: 'webhook changed',
  })
}

async function checkFilter(
  { resource: name, filter }: { readonly resource: string; readonly filter: string },
  resources: readonly Resource[],
  context: CallContext,
): Promise<void> {
  const followed = resources.find(candidate => candidate.name === name)
  // The choices of the field were other ones when the subscription was made.
  if (followed === undefined) throw new ValidationError({ resource: `There are no webhooks of ${name}.` })
  try {
    await context.view.calls.followList(followed, filter, context)
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    const problems = Object.entries(error.detail as Readonly<Record<string, unknown>>)
    throw new ValidationError({
      filter: problems.map(([parameter, texts]) => `${parameter}: ${[texts].flat().join(' ')}`),
    })
  }
}

const rotateSecret = objectView({
  description: 'Makes a new secret, and shows it once. For a day, deliveries are also signed with the former one.',
  columns: ['secret'],
  response: { secret: text(), previous_until: dateTime() },
  pageActions: { POST: { label: 'New secret' } },
  handlers: {
    async POST({ database, key, object, view }) {
      const secret = createSecret()
      const until = formatDateTime(new Date(view.clock().getTime() + rotationTime))!
      await database.transaction(({ kysely }) =>
        kysely
          .updateTable('webhooks')
          .set({ secret, previous_secret: object.secret, previous_until: until })
          .where('id', '=', key)
          .execute(),
      )
      return { secret, previous_until: until }
    },
  },
})

/** Creates the deliveries. */
export function createDeliveries(
  { deliveries: table }: WebhookTables,
  subscriptions: Resource,
  enqueue: EnqueueDelivery,
) {
  const { id, ...others } = table.pick(
    'id',
    'event',
    'object_key',
    'state',
    'attempts',
    'status',
    'error',
    'message_id',
    'created_at',
    'ended_at',
  )
  return resource('webhook-deliveries', {
    ...ofOwner,
    table,
    title: 'Delivery',
    description: 'What was sent to the URLs of webhooks. Deliveries that have ended are deleted after 30 days.',
    objectName: 'event',
    actions: ['list', 'retrieve'],
    fields: { id, webhook: related(subscriptions), ...others },
    ordering: ['-id'],
    filters: { webhook: true, state: true, event: true },
    objectViews: { resend: createResend(enqueue) },
    auditEvent: 'webhook sent again',
  })
}

const createResend = (enqueue: EnqueueDelivery) =>
  objectView({
    description: 'Sends the message again, with the same id and with the object as it is now.',
    pageActions: { POST: { label: 'Send again', bulk: true } },
    response: 'representation',
    handlers: {
      async POST(context) {
        const { database, key, represent } = context
        await database.transaction(async connection => {
          const { numUpdatedRows } = await connection.kysely
            .updateTable('webhook_deliveries')
            .set({ state: 'waiting', attempts: 0, status: null, error: null, ended_at: null })
            .where('id', '=', key)
            .where('state', '<>', 'waiting')
            .executeTakeFirstOrThrow()
          if (numUpdatedRows === 0n) throw new Conflict('The delivery waits already.')
          await enqueue(Number(key), { ...context, connection })
        })
        return represent()
      },
    },
  })
