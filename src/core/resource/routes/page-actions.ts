// Completes the actions that pages offer: one with a condition gets the check that an object meets it.

import { NotFound } from '../../errors/exceptions.ts'
import type { RequestContext } from '../../http/context.ts'
import type { OfferedPageAction, PageActions } from '../../view/page-action.ts'
import type { ResourceLocation } from '../bind/resource-location.ts'
import { createFilter } from '../define/row-conditions.ts'
import { createObjectFinder } from './view-routes.ts'

/** Completes the actions; throws an Error for a condition that is wrong, or whose resource has no declared table. */
export const completeActions = (
  actions: PageActions,
  location: ResourceLocation,
  option: string,
): Readonly<Record<string, OfferedPageAction>> => {
  const { declaredTable, name } = location.objects.resource
  return Object.fromEntries(
    Object.entries(actions).map(([action, { when, ...texts }]) => {
      if (when === undefined) return [action, texts]
      const filter = createFilter(when, declaredTable, `resource "${name}": ${option}: "${action}": when`)
      const find = createObjectFinder(location, [], [...location.bound.permissions, { filter }])
      return [action, { ...texts, applies: (context: RequestContext) => find(context).then(() => true, isNoObject) }]
    }),
  )
}

function isNoObject(error: unknown): false {
  if (error instanceof NotFound) return false
  throw error
}
