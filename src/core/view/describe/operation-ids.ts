// The names of operations. Each is unique: a generated name that is taken gets a number, and two equal names of the
// application are an error at start.

import type { OperationOptions } from '../../describe/openapi-types.ts'
import type { View } from '../view.ts'
import { findFreeName, formatFunctionName } from './names.ts'

/** The name of a method of a view that is not an action of a resource: `obtainAuthToken`, `getTags`. */
export const formatViewOperation = (method: string, viewName: string): string =>
  method === 'POST' ? formatFunctionName(viewName) : formatFunctionName(method.toLowerCase(), viewName)

/** Finds names that no operation has yet. */
export interface OperationNames {
  /** The name, with a number if another operation has it. */
  claim(name: string): string
}

/** `taken`: the names that the application gave. */
export function createOperationNames(taken: Iterable<string>): OperationNames {
  const used = new Set(taken)
  return {
    claim(name) {
      const free = findFreeName(name, each => used.has(each))
      used.add(free)
      return free
    },
  }
}

/** The name that the application gives an operation. */
export const findGivenName = (options: OperationOptions | false): string | undefined =>
  options === false ? undefined : (options.operationId ?? undefined)

/** Throws for two views to which the application gave the same name of an operation. */
export function checkOperationIds(views: readonly Pick<View, 'id' | 'openapi'>[]): void {
  const owners = new Map<string, string>()
  for (const { id, openapi } of views)
    for (const [method, options] of openapi) {
      const name = findGivenName(options)
      if (name === undefined) continue
      const owner = `${method} of "${id}"`
      const other = owners.get(name)
      if (other !== undefined)
        throw new Error(`openapi: ${other} and ${owner} have the same operationId "${name}": rename one`)
      owners.set(name, owner)
    }
}
