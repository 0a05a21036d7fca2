import type { OperationOptions } from '../describe/openapi-types.ts'
import { createFields } from '../fields/declared-fields.ts'
import type { FileLimits, Parser } from '../http/parsers/parser.ts'
import { createRefusal } from '../policy/authentication/scheme.ts'
import { describedMethods } from './describe/described-methods.ts'
import { joinOptions } from './describe/merge-patch.ts'
import { describeView } from './describe-view.ts'
import { createHeaders } from './render.ts'
import type { MethodOptions, RawBodyOption, View, ViewOptions, ViewPolicies, ViewSettings } from './view.ts'

/** Completes a declared view with the API's policies and settings. */
export function createView(path: string, options: ViewOptions, policies: ViewPolicies, settings: ViewSettings): View {
  const authentication = options.authentication ?? policies.authentication
  const methods = completeMethods(options.handlers, () => view)
  const perMethod = new Map<string, View>()
  const own = completePolicies(options, policies)
  const headers = Object.freeze({
    allow: [...methods.keys()].join(', '),
    vary: ['accept', ...new Set(listVarying(options, settings, authentication))].map(capitalize).join(', '),
    ...options.headers,
  })
  const view: View = Object.freeze({
    ...settings,
    unknownFields: options.unknownFields ?? settings.unknownFields,
    id: options.id ?? options.name,
    name: options.name,
    path,
    description: options.description ?? '',
    lenientAccept: options.lenientAccept ?? false,
    responseHeaders: options.responseHeaders && createFields(options.responseHeaders, `view "${options.name}"`),
    rawBodyLimit: findRawBodyLimit(options.rawBody),
    resource: options.resource,
    handlers: new Map([...methods].map(([method, { handle }]) => [method, handle])),
    forms: options.forms ?? {},
    descriptions: options.descriptions ?? {},
    operations: options.operations ?? {},
    openapi: joinMethodOptions(options.openapi, methods),
    children: options.children ?? [],
    listMetadata: options.listMetadata,
    objectMetadata: options.objectMetadata,
    bulk: options.bulk,
    objectName: options.objectName,
    pageActions: options.pageActions ?? {},
    page: options.page,
    envelope: options.envelope,
    auditEvent: options.auditEvent,
    forMethod: (method: string): View => perMethod.get(method) ?? view,
    authentication,
    ...own,
    hasSchemes: authentication.length > 0,
    refusal: createRefusal(authentication),
    headers,
    gateway: own.renderers.find(renderer => renderer.gateway !== undefined)?.gateway,
    headersFor: createHeaders(headers, options.headers),
  })
  for (const [method, { handle: _handle, openapi: _openapi, ...methodPolicies }] of methods) {
    const files = view.descriptions[method]?.files
    if (Object.keys(methodPolicies).length === 0 && files === undefined) continue
    const completed = { ...view, ...completePolicies(methodPolicies, view) }
    const parsers = files === undefined ? completed.parsers : addFileParser(completed, files)
    perMethod.set(method, Object.freeze({ ...completed, parsers }))
  }
  return view
}

const listVarying = (
  { listMetadata, usesLanguage }: ViewOptions,
  { compresses, versioning, findTranslation }: ViewSettings,
  authentication: ViewPolicies['authentication'],
): readonly string[] => [
  // A response to a request with a cookie is not compressed.
  ...(compresses ? ['accept-encoding', 'cookie'] : []),
  ...authentication.flatMap(scheme => scheme.varyOn),
  ...(typeof versioning === 'object' && versioning.in === 'header' ? [versioning.name.toLowerCase()] : []),
  ...(listMetadata?.pageHeaders ?? []),
  ...(usesLanguage && findTranslation ? ['accept-language'] : []),
]

const findRawBodyLimit = (option: RawBodyOption = false): number | undefined =>
  typeof option === 'object' ? option.limit : option ? 4 * 1024 * 1024 : undefined

function addFileParser({ name, parsers }: View, limits: FileLimits): readonly Parser[] {
  const withFiles = parsers.map(parser => parser.withFiles?.(limits) ?? parser)
  if (!parsers.some(parser => parser.withFiles))
    throw new Error(
      `view "${name}": a file arrives in a body of the type multipart/form-data: add multipartParser() to "parsers"`,
    )
  return withFiles
}

function completeMethods(handlers: ViewOptions['handlers'], findView: () => View): ReadonlyMap<string, MethodOptions> {
  const methods = new Map(
    Object.entries(handlers).map(([method, handler]) => [
      method,
      typeof handler === 'function' ? { handle: handler } : handler,
    ]),
  )
  const get = methods.get('GET')
  if (get !== undefined && !methods.has('HEAD')) methods.set('HEAD', get)
  if (!methods.has('OPTIONS')) methods.set('OPTIONS', { handle: context => describeView(context, findView()) })
  return methods
}

function joinMethodOptions(
  shared: OperationOptions | false | undefined,
  methods: ReadonlyMap<string, MethodOptions>,
): View['openapi'] {
  return new Map(
    [...methods].flatMap(([method, { openapi }]) => {
      const options = describedMethods.includes(method) ? joinOptions(shared, openapi) : undefined
      return options === undefined ? [] : [[method, options]]
    }),
  )
}

function completePolicies(
  declared: Partial<ViewPolicies>,
  policies: ViewPolicies,
): Omit<ViewPolicies, 'authentication'> {
  return {
    permissions: declared.permissions ?? policies.permissions,
    throttles: declared.throttles ?? policies.throttles,
    parsers: declared.parsers ?? policies.parsers,
    renderers: declared.renderers ?? policies.renderers,
  }
}

function capitalize(field: string): string {
  return field.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())
}
