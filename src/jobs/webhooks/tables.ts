// The tables of webhooks: the subscriptions, their deliveries, and how far the changes of each resource were turned into deliveries.

import {
  boolean,
  choice,
  created,
  dateTime,
  type Field,
  integer,
  json,
  key,
  list,
  owner,
  reference,
  table,
  tables,
  text,
  url,
} from '#core'

/** The events of a subscription, as those of a feed. */
export const webhookEvents = ['created', 'changed', 'deleted', 'visible', 'hidden'] as const

export const deliveryStates = ['waiting', 'delivered', 'failed', 'cancelled'] as const

/** `ids`: the type of the ids of callers. */
export function createWebhookTables(ids: Field) {
  const webhooks = table('webhooks', {
    columns: {
      id: key(),
      owner: owner(ids),
      owner_name: text({ max: 255, blank: true }),
      url: url(),
      resource: text(),
      events: list({ of: choice(webhookEvents), min: 1, max: webhookEvents.length, default: [...webhookEvents] }),
      filter: text({ max: 1000, blank: true, default: '' }),
      secret: text({ max: 100 }),
      previous_secret: text({ max: 100, nullable: true }),
      previous_until: dateTime({ nullable: true }),
      active: boolean({ default: true }),
      /** The deliveries in a row that failed in the end. */
      failures: integer({ default: 0 }),
      reason: text({ max: 500, nullable: true }),
      switched_off_at: dateTime({ nullable: true }),
      /** The position in the record of changes at which the subscription began. */
      since: text({ max: 50 }),
      created_at: created(),
    },
    indexes: [['owner', 'id'], ['resource']],
  })
  const deliveries = table('webhook_deliveries', {
    columns: {
      id: key(),
      webhook: reference('webhooks', { onDelete: 'cascade' }),
      owner: owner(ids),
      message_id: text({ max: 50 }),
      event: text({ max: 120 }),
      /** What the URL of the object contains, as JSON. */
      object_key: text({ max: 300 }),
      /** What has happened to the row. */
      change: json({ nullable: true }),
      state: choice(deliveryStates),
      attempts: integer({ default: 0 }),
      status: integer({ nullable: true }),
      error: text({ nullable: true, multiline: true }),
      created_at: dateTime(),
      ended_at: dateTime({ nullable: true }),
    },
    indexes: [['webhook', '-id'], ['owner', '-id'], ['ended_at']],
  })
  const positions = table('webhook_positions', {
    key: ['resource'],
    columns: { resource: text({ max: 100 }), position: text({ max: 50 }) },
  })
  const schema = tables({ owner: 'webhooks', tables: [webhooks, deliveries, positions] })
  return { schema, webhooks, deliveries }
}

export type WebhookTables = ReturnType<typeof createWebhookTables>
