// What a body may contain besides the fields that it sets, and what a new object gets besides them.

import type { Fields } from '../../fields/field.ts'
import { listOnWire, nameOnWire } from '../../fields/wire-names.ts'
import { csrfField } from '../../policy/authentication/csrf.ts'
import type { Resource } from '../declare/resource.ts'
import { findNamingField } from '../define/check-bulk.ts'
import type { ActionPlans } from '../sql/action-plan.ts'

/** The names that a strict API accepts besides the fields: a client may send back what responses show. An item of many objects contains the field that names it. */
export function listOtherNames(resource: Resource, { create, update, retrieve }: ActionPlans): ReadonlySet<string> {
  const naming = findNamingField(resource)
  const shown = { ...retrieve.shows, ...create.shows, ...update.shows }
  return new Set([
    csrfField,
    ...Object.keys(listOnWire(shown)),
    ...(naming === undefined ? [] : [nameOnWire(naming, resource.fields[naming]!)]),
  ])
}

/** The fields that a body cannot contain: a new object gets their defaults. */
export const listOtherFields = ({ fields }: Resource, bodyFields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(bodyFields, name)))
