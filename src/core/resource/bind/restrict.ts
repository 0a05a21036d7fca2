// A resource with other fields, rows, permissions or connection than its declaration: as a caller sees it, as a query selects it, below
// parents, or inside a transaction. There is one way to make such a form. It is kept by its key, with its statements.

import { type BoundedMap, createBoundedMap } from '../../base/bounded-map.ts'
import type { Connection } from '../../database/database.ts'
import type { KeyedQueues } from '../../database/task-queue.ts'
import { enterDatabase, findTransaction, type Transaction } from '../../database/transaction.ts'
import type { KeyValue } from '../../keys/key.ts'
import { createPageCache } from '../query/page-cache.ts'
import { createTagCache } from '../query/tag-cache.ts'
import type { ActionPlan, ActionPlans } from '../sql/action-plan.ts'
import { type BoundResource, compileParts } from './bound-resource.ts'

/** The most forms of a resource that are kept. */
const maxForms = 128

const keptForms = new WeakMap<BoundResource, BoundedMap<string, BoundResource>>()

/**
 * The form of a resource with this key, which `create` makes if there is none yet: the members that differ. Statements and validators
 * follow from the plans and the related rows.
 */
export function restrict(bound: BoundResource, key: string, create: () => Partial<BoundResource>): BoundResource {
  const forms = keptForms.get(bound) ?? createBoundedMap<string, BoundResource>({ maxSize: maxForms })
  keptForms.set(bound, forms)
  const found = forms.get(key)
  if (found !== undefined) return found
  const changed = create()
  const form = { ...bound, ...changed }
  const restricted = Object.freeze(changed.plans === undefined ? form : { ...form, ...compileParts(form) })
  forms.set(key, restricted)
  return restricted
}

/** The plans of all actions, each changed. */
export const changePlans = (plans: ActionPlans, change: (plan: ActionPlan) => ActionPlan): ActionPlans =>
  Object.fromEntries(Object.entries(plans).map(([action, plan]) => [action, change(plan)])) as unknown as ActionPlans

/** The resource without the names around objects and lists. */
export const withoutEnvelope = (bound: BoundResource): BoundResource =>
  bound.envelope === undefined ? bound : restrict(bound, 'without envelope', () => ({ envelope: undefined }))

/** The resource whose list is not paginated, in the order of its pages. Nothing of it is cached: its URL is that of a page. */
export const withoutPages = (bound: BoundResource): BoundResource =>
  restrict(bound, 'without pages', () => ({
    paginator: null,
    envelope: undefined,
    pageCache: createPageCache({}),
    tagCache: createTagCache({}),
    ...(bound.paginator?.ordering && { resource: { ...bound.resource, ordering: bound.paginator.ordering } }),
  }))

/** The resource as code inside a transaction uses it. */
export const enterTransaction = (bound: BoundResource, transaction: Transaction): BoundResource => ({
  ...bound,
  database: enterDatabase(bound.database, transaction),
  writeQueues: runAtOnce,
})

/** The resource inside the transaction of this connection. */
export const enterConnection = (bound: BoundResource, connection: Connection): BoundResource =>
  enterTransaction(bound, findTransaction(bound.database, connection)!)

// A transaction has locked what it has written, so its calls must not wait for the queues of other requests.
const runAtOnce: KeyedQueues<KeyValue> = (_key, task) => task()
