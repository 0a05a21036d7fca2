// The document of an API of a server. It contains the API, and those that are mounted below it.

import type { FastifyInstance } from 'fastify'
import {
  type DocumentOptions,
  type ExampleObjects,
  isPermitted,
  listViewsBelow,
  type OpenApiDocument,
  type RequestContext,
  readEnglish,
  type View,
} from '#core'
import {
  createDocument,
  type DescribedApis,
  type DocumentReader,
  type DocumentVariant,
  formatPath,
} from './document.ts'
import { matchesTemplate } from './find-operation.ts'
import { listFurtherPaths } from './further-paths.ts'

/** The documents of one API. */
export interface ServerDocument {
  readonly options: DocumentOptions
  /** The document that is the same for everyone. It is made when it is first needed, once for each function that translates. */
  forEveryone(translate?: DocumentVariant['translate']): OpenApiDocument
  /** The part of the document for everyone that describes a path, which is below that of the document. */
  forPath(path: string): OpenApiDocument
  /** The document for the caller of a request. */
  forCaller(context: RequestContext, translate?: DocumentVariant['translate']): Promise<OpenApiDocument>
}

interface ServedApi {
  readonly server: FastifyInstance['server']
  readonly prefix: string
  readonly root: string
  readonly options: DocumentOptions
}

const documentsByServer = new WeakMap<FastifyInstance['server'], Map<string, ServerDocument>>()

/** Creates the document of the APIs at a prefix. */
export function createServerDocument({ server, prefix, root, options }: ServedApi): ServerDocument {
  const made = new Map<NonNullable<DocumentVariant['translate']>, OpenApiDocument>()
  const parts = new Map<string, OpenApiDocument>()
  let templates: ReturnType<typeof listTemplates> | undefined
  const findApis = (): DescribedApis => ({
    prefix,
    root,
    views: listViewsBelow(server, prefix),
    paths: listFurtherPaths(server, prefix),
    examples: listExamples(server, prefix),
  })
  const document: ServerDocument = {
    options,
    forEveryone(translate = readEnglish) {
      const known = made.get(translate)
      if (known !== undefined) return known
      const created = createDocument(findApis(), options, { translate })
      made.set(translate, created)
      return created
    },
    forPath(path) {
      templates ??= listTemplates(findApis())
      const { apis, ofViews, ofPaths } = templates
      const segments = path.split('/')
      const views = ofViews.filter(([template]) => matchesTemplate(template, segments))
      const paths = ofPaths.filter(([template]) => matchesTemplate(template, segments))
      const key = [...views, ...paths].map(([template]) => template).join(' ')
      const known = parts.get(key)
      if (known !== undefined) return known
      const found = { views: views.map(([, view]) => view), paths: Object.fromEntries(paths) }
      const created = createDocument({ ...apis, ...found }, options)
      parts.set(key, created)
      return created
    },
    async forCaller(context, translate = readEnglish) {
      const apis = findApis()
      const allowed = await listAllowedMethods(apis.views, context)
      const reader: DocumentReader = { caller: context, includes: (view, method) => allowed.get(view)!.has(method) }
      return createDocument(apis, options, { reader, translate })
    },
  }
  const documents = documentsByServer.get(server) ?? new Map<string, ServerDocument>()
  documentsByServer.set(server, documents)
  documents.set(prefix, document)
  return document
}

/** The views and the paths of a document, each with the template of its path. */
const listTemplates = (apis: DescribedApis) => ({
  apis,
  ofViews: apis.views.map(view => [formatPath(view, apis.prefix), view] as const),
  ofPaths: Object.entries(apis.paths),
})

/**
 * The OpenAPI document of an API, for whoever may read it at its URL. Call it when Fastify is ready. `prefix`: where the API
 * is mounted, without a trailing slash; default: at the root. Throws if there is no such document.
 *
 * @example
 * await app.ready()
 * await writeFile('openapi.json', JSON.stringify(findDocument(app)))
 */
export function findDocument({ server }: FastifyInstance, prefix = ''): OpenApiDocument {
  const found = documentsByServer.get(server)?.get(prefix)
  if (found === undefined)
    throw new Error(`findDocument(): no API at "${prefix}/" has a document: mount one there, or remove openapi: false`)
  return found.forEveryone()
}

/** The documents of a server, with their prefixes, the shortest first. */
export const listDocuments = ({
  server,
}: FastifyInstance): readonly { readonly prefix: string; readonly document: ServerDocument }[] =>
  [...(documentsByServer.get(server) ?? [])]
    .map(([prefix, document]) => ({ prefix, document }))
    .toSorted((a, b) => a.prefix.length - b.prefix.length)

const listExamples = (server: FastifyInstance['server'], prefix: string): ReadonlyMap<string, ExampleObjects> =>
  new Map(
    [...(documentsByServer.get(server) ?? [])].flatMap(
      ([
        path,
        {
          options: { examples },
        },
      ]) => (examples !== undefined && path.startsWith(prefix) ? [[path.slice(prefix.length), examples]] : []),
    ),
  )

async function listAllowedMethods(
  views: readonly View[],
  context: RequestContext,
): Promise<ReadonlyMap<View, ReadonlySet<string>>> {
  const allowed = new Map<View, ReadonlySet<string>>()
  for (const view of views) {
    const methods = new Set<string>()
    for (const method of view.handlers.keys()) {
      const forMethod = view.forMethod(method)
      if (await isPermitted({ ...context, method, view: forMethod }, forMethod.permissions)) methods.add(method)
    }
    allowed.set(view, methods)
  }
  return allowed
}
