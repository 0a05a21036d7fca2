// Checks which methods the URLs of the list and of the objects have.

import { type Action, type ActionMethod, actionMethods } from '../declare/action-options.ts'
import type { Resource } from '../declare/resource.ts'
import { hasMethod, listMethodsOf } from '../declare/resource-methods.ts'

type Declared = Omit<Resource, 'name'>

/** Throws for a method that no action has, and for an action without a method. */
export function checkMethods(resource: Declared): void {
  const { methods, actions, lists } = resource
  if (methods !== undefined) checkNames(methods)
  for (const action of actions)
    if (listMethodsOf(resource, action).length === 0) throw new Error(explainMissing(resource, action))
  const used = actions.flatMap(action => listOwn(resource, action))
  const unused = methods?.find(method => !used.includes(method) && !replaces(resource, method))
  if (unused !== undefined)
    throw new Error(`methods: no action has the method ${unused}: add one to "actions", or remove the method`)
  if (lists !== undefined && !hasMethod(resource, 'GET')) throw new Error('methods: "lists" needs GET: add it')
  checkReplaced(resource)
}

function checkNames(methods: readonly string[]): void {
  // Node runs TypeScript without checking types.
  if (!Array.isArray(methods)) throw new Error(`methods must be a list: write [${JSON.stringify(methods)}]`)
  const names: readonly string[] = [...new Set(Object.values(actionMethods).flat())]
  const unknown = methods.find(method => !names.includes(method))
  if (unknown !== undefined)
    throw new Error(`methods: there is no method "${unknown}" of an action: the methods are ${names.join(', ')}`)
}

// The methods of an action without the other options.
const listOwn = ({ singleton }: Declared, action: Action): readonly ActionMethod[] =>
  listMethodsOf({ singleton }, action)

const replaces = ({ objectMethods }: Declared, method: string): boolean =>
  Object.hasOwn(objectMethods?.handlers ?? {}, method)

function explainMissing(resource: Declared, action: Action): string {
  const methods = listOwn(resource, action)
  return isReplaced(resource, action)
    ? `objectMethods: ${methods.join(' and ')} ${methods.length === 1 ? 'is' : 'are'} the action "${action}": remove one of them`
    : `methods: the action "${action}" has no method: add ${methods.join(' or ')}, or remove the action`
}

const isReplaced = ({ singleton, objectMethods }: Declared, action: Action): boolean =>
  listMethodsOf({ singleton, objectMethods }, action).length === 0

// The policies of an action that does not exist would protect nothing.
function checkReplaced(resource: Declared): void {
  const { perAction, actions } = resource
  const replaced = (Object.keys(perAction) as Action[]).find(
    action => !actions.includes(action) && isReplaced(resource, action),
  )
  if (replaced !== undefined)
    throw new Error(`perAction.${replaced} has no effect, because "objectMethods" replaces the action: remove it`)
}

const listActions = { GET: 'list', HEAD: 'list', POST: 'create' } as const

/** Throws for a method of the list that is an action too. */
export function checkListMethods({ actions, listMethods }: Declared): void {
  for (const method of Object.keys(listMethods?.handlers ?? {})) {
    const action = listActions[method as keyof typeof listActions]
    if (actions.includes(action))
      throw new Error(`listMethods: ${method} is the action "${action}": remove one of them`)
  }
}
