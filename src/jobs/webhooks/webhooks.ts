// Webhooks: URLs that are told what changes in a list, as their owners see it.

import { type Field, integer, type OwnedMigrations, type Resource } from '#core'
import { type FindUser, type Job, job } from '../job.ts'
import { neededTables } from '../needed-tables.ts'
import { collectChanges, hasNewChanges } from './collect.ts'
import { attemptDelivery } from './deliver.ts'
import { createDeliveries, createSubscriptions } from './resources.ts'
import { createWebhookTables } from './tables.ts'

export interface WebhooksOptions {
  /** The resources whose changes can be subscribed to. Each has the option `feed: true`. */
  readonly resources: readonly Resource[]
  /** The field of the ids of callers; default: an integer, as accounts have. */
  readonly ids?: Field
  /** Finds the owner of a subscription by the id; default: the accounts of the service. */
  readonly findUser?: FindUser
  /** How often a delivery is tried again; default 16, which takes about ten hours. */
  readonly retries?: number
  /** The seconds after which a server has not responded; default 15. */
  readonly timeLimit?: number
  /** How many deliveries in a row fail in the end before the subscription is switched off; default 3. */
  readonly maxFailures?: number
  /** Whether URLs may begin with `http:`; default false. */
  readonly allowsHttp?: boolean
  /** Whether URLs may lead to this machine or to a private network; default false. */
  readonly allowsPrivateAddresses?: boolean
}

/**
 * Creates the webhooks of a profile.
 *
 * @example
 * const webhooks = createWebhooks({ resources: [orders] })
 * export const shop = profile('shop', {
 *   tables: schema,
 *   resources: [orders, ...webhooks.resources],
 *   jobs: webhooks.jobs,
 *   admin: webhooks.admin,
 * })
 */
export function createWebhooks(options: WebhooksOptions) {
  const { resources, ids = integer(), findUser, retries = 16, timeLimit = 15, maxFailures = 3 } = options
  checkOptions(resources, { retries, timeLimit, maxFailures })
  const { allowsHttp = false, allowsPrivateAddresses = false } = options
  const rules = { allowsHttp, allowsPrivateAddresses }
  const tables = createWebhookTables(ids)
  const deliver = job('webhook-delivery', {
    payload: { delivery: integer() },
    retries,
    timeLimit: timeLimit + 15,
    run: ({ delivery }, context) =>
      attemptDelivery(delivery, context, { ...rules, resources, findUser, retries, timeLimit, maxFailures }),
  })
  const collect = job('webhooks', {
    timeLimit: 300,
    run: (_payload, context) => collectChanges(context, { resources, findUser, deliver }),
  })
  const subscriptions = createSubscriptions({ ...rules, tables, resources })
  const deliveries = createDeliveries(tables, subscriptions, (delivery, context) =>
    deliver.enqueue({ delivery }, context),
  )
  const jobs = [
    { ...collect, isDue: database => hasNewChanges(database, resources), tables: tables.schema } as Job,
    deliver as unknown as Job,
  ] satisfies readonly Job[]
  for (const resource of [subscriptions, deliveries]) neededTables.set(resource, tables.schema)
  return {
    /** For `migrate` of an application without a service. */
    tables: tables.schema as OwnedMigrations,
    /** `/webhooks/` and `/webhook-deliveries/`. */
    resources: [subscriptions, deliveries] as const,
    /** For `jobs` of the profile. */
    jobs,
    /** For `admin` of the profile: staff see all subscriptions and deliveries, and send deliveries again. */
    admin: {
      webhooks: { actions: ['list', 'retrieve', 'destroy'] },
      'webhook-deliveries': { actions: ['list', 'retrieve'], objectViews: deliveries.objectViews! },
    } as const,
  }
}

function checkOptions(
  resources: readonly Resource[],
  { retries, timeLimit, maxFailures }: Readonly<Record<'retries' | 'timeLimit' | 'maxFailures', number>>,
): void {
  const place = 'createWebhooks()'
  if (resources.length === 0) throw new Error(`${place}: resources must name a resource: resources: [orders]`)
  const without = resources.find(({ feed }) => feed !== true)
  if (without !== undefined)
    throw new Error(`${place}: the resource "${without.name}" records no changes: add "feed: true" to it`)
  for (const [option, value, min] of [
    ['retries', retries, 0],
    ['timeLimit', timeLimit, 1],
    ['maxFailures', maxFailures, 1],
  ] as const)
    if (!Number.isSafeInteger(value) || value < min)
      throw new Error(`${place}: ${option} must be an integer of at least ${min}, not ${JSON.stringify(value)}`)
}
