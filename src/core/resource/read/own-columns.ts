// Whether the column that `lastModified` names dates a whole representation: it dates the row, and nothing else that is shown.

import { showsOwnColumn } from '../../fields/storage.ts'
import type { Resource } from '../declare/resource.ts'
import type { ActionPlans } from '../sql/action-plan.ts'

/**
 * Whether a GET of an object shows all callers the same columns of the same row, and nothing else: no related rows, no computed
 * values, and no URLs. The object of a singleton depends on the caller.
 */
export const showsOwnColumns = (resource: Resource, { retrieve: { shows } }: ActionPlans): boolean =>
  resource.singleton === undefined &&
  Object.values(resource.fields).every(({ visible }) => visible === undefined) &&
  Object.values(shows).every(showsOwnColumn)
