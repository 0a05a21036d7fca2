// One statement finds an object below its parents. If it finds none, the error says whether a parent is missing or the object.

import { isPromise } from '../../base/maybe-promise.ts'
import { NotFound } from '../../errors/exceptions.ts'
import type { Handler, ViewOptions } from '../../view/view.ts'
import type { FindParent, ResourceLocation } from '../bind/resource-location.ts'

interface RouteOfView {
  readonly path: string
  readonly view: ViewOptions
}

/** Returns the routes. Below parents, a handler that throws NotFound names the nearest parent if that is what is missing. */
export const reportMissingParents = (
  routes: readonly RouteOfView[],
  { findParent }: Pick<ResourceLocation, 'findParent'>,
): readonly RouteOfView[] =>
  findParent === undefined
    ? routes
    : routes.map(({ path, view }) => ({ path, view: { ...view, handlers: checkParents(view.handlers, findParent) } }))

const checkParents = (handlers: ViewOptions['handlers'], findParent: FindParent): ViewOptions['handlers'] =>
  Object.fromEntries(
    Object.entries(handlers).map(([method, handler]) => [
      method,
      typeof handler === 'function'
        ? checkParent(handler, findParent)
        : { ...handler, handle: checkParent(handler.handle, findParent) },
    ]),
  )

const checkParent =
  (handle: Handler, findParent: FindParent): Handler =>
  context => {
    const rethrow = async (error: unknown) => {
      if (error instanceof NotFound) await findParent(context)
      throw error
    }
    try {
      const response = handle(context)
      return isPromise(response) ? response.catch(rethrow) : response
    } catch (error) {
      return rethrow(error)
    }
  }
