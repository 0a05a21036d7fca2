// The URLs of a resource: its list, its objects, and the views below an object.

import type { Handler, Policies, ViewOptions } from '../view.ts'
import { create } from './actions/create.ts'
import { destroy } from './actions/destroy.ts'
import { list } from './actions/list.ts'
import { retrieve } from './actions/retrieve.ts'
import { show } from './actions/show.ts'
import { update } from './actions/update.ts'
import type { Binding } from './binding.ts'
import type { Action, Resource } from './resource.ts'

/** A view and its path below the API's prefix, with a trailing slash. */
export interface Route {
  readonly path: string
  readonly view: ViewOptions
}

/** The routes of a resource; those whose actions it does not have are left out. */
export function resourceRoutes(binding: Binding): readonly Route[] {
  const { resource } = binding
  const listHandlers = handlersOf(resource, [
    ['list', 'GET', list(binding)],
    ['create', 'POST', create(binding)],
  ])
  const objectHandlers = handlersOf(resource, [
    ['retrieve', 'GET', retrieve(binding)],
    ['update', 'PUT', update(binding, { partial: false })],
    ['update', 'PATCH', update(binding, { partial: true })],
    ['destroy', 'DELETE', destroy(binding)],
  ])
  const title = titleOf(resource.name)
  const path = `/${resource.name}/`
  const shared = { description: resource.description, ...policiesOf(resource) }
  const below = Object.entries(resource.views ?? {}).map(([name, view]) => ({
    path: `${path}:key/${name}/`,
    view: { ...shared, ...view, handlers: { GET: show(binding, view) } },
  }))
  return [
    ...(listHandlers && [{ path, view: { ...shared, name: `${title} List`, handlers: listHandlers } }]),
    ...(objectHandlers && [
      { path: `${path}:key/`, view: { ...shared, name: `${title} Instance`, handlers: objectHandlers } },
    ]),
    ...below,
  ]
}

type ActionHandler = readonly [action: Action, method: string, handler: Handler]

function handlersOf({ actions }: Resource, handlers: readonly ActionHandler[]): Record<string, Handler> {
  return Object.fromEntries(
    handlers.filter(([action]) => actions.includes(action)).map(([, method, handler]) => [method, handler]),
  )
}

function policiesOf(resource: Resource): Partial<Policies> {
  const { authentication, permissions, throttles, parsers, renderers } = resource
  return {
    ...(authentication && { authentication }),
    ...(permissions && { permissions }),
    ...(throttles && { throttles }),
    ...(parsers && { parsers }),
    ...(renderers && { renderers }),
  }
}

// `users` is shown as "User", as Django REST framework names its views after a class.
function titleOf(name: string): string {
  const words = name.replace(/s$/, '').split('-')
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join(' ')
}
