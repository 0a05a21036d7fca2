import { refusalBy } from './authentication/scheme.ts'
import { describeView } from './describe-view.ts'
import type { Renderer } from './renderers/renderer.ts'
import type { HeaderFields } from './response.ts'
import type { MethodOptions, View, ViewOptions, ViewPolicies, ViewSettings } from './view.ts'

/** Completes a declared view with the API's policies and settings. */
export function createView(path: string, options: ViewOptions, policies: ViewPolicies, settings: ViewSettings): View {
  const authentication = options.authentication ?? policies.authentication
  const methods = completeMethods(options.handlers, () => view)
  const perMethod = new Map<string, View>()
  const headers = Object.freeze({
    allow: [...methods.keys()].join(', '),
    vary: ['accept', ...new Set(authentication.flatMap(scheme => scheme.varyOn))].map(capitalize).join(', '),
    ...options.headers,
  })
  const view: View = Object.freeze({
    ...settings,
    id: options.id ?? options.name,
    name: options.name,
    path,
    description: options.description ?? '',
    lenientAccept: options.lenientAccept ?? false,
    handlers: new Map([...methods].map(([method, { handle }]) => [method, handle])),
    forms: options.forms ?? {},
    children: options.children ?? [],
    listMetadata: options.listMetadata,
    objectName: options.objectName,
    auditEvent: options.auditEvent,
    forMethod: (method: string): View => perMethod.get(method) ?? view,
    authentication,
    ...completePolicies(options, policies),
    hasSchemes: authentication.length > 0,
    refusal: refusalBy(authentication),
    headers,
    headersWith: joinHeaders(headers, options.headers),
  })
  for (const [method, { handle: _, ...own }] of methods) {
    if (Object.keys(own).length > 0) perMethod.set(method, Object.freeze({ ...view, ...completePolicies(own, view) }))
  }
  return view
}

function completeMethods(handlers: ViewOptions['handlers'], findView: () => View): ReadonlyMap<string, MethodOptions> {
  const methods = new Map(
    Object.entries(handlers).map(([method, given]) => [
      method,
      typeof given === 'function' ? { handle: given } : given,
    ]),
  )
  const get = methods.get('GET')
  if (get !== undefined && !methods.has('HEAD')) methods.set('HEAD', get)
  if (!methods.has('OPTIONS')) methods.set('OPTIONS', { handle: context => describeView(context, findView()) })
  return methods
}

function completePolicies(own: Partial<ViewPolicies>, policies: ViewPolicies): Omit<ViewPolicies, 'authentication'> {
  return {
    permissions: own.permissions ?? policies.permissions,
    throttles: own.throttles ?? policies.throttles,
    parsers: own.parsers ?? policies.parsers,
    renderers: own.renderers ?? policies.renderers,
  }
}

// The fields of each renderer are joined once.
function joinHeaders(headers: HeaderFields, own: HeaderFields | undefined): View['headersWith'] {
  const known = new Map<Renderer<View>, HeaderFields>()
  return renderer => {
    const before = known.get(renderer)
    if (before !== undefined) return before
    const joined = { ...headers, ...renderer.headers, ...own, 'content-type': renderer.contentType }
    known.set(renderer, joined)
    return joined
  }
}

function capitalize(field: string): string {
  return field.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())
}
