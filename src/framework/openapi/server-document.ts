// The document of an API of a server. It contains the API, and those that are mounted below it.

import type { FastifyInstance } from 'fastify'
import type { RequestContext } from '../context.ts'
import { isPermitted } from '../permissions/permission.ts'
import { listViewsBelow } from '../shared-prefix.ts'
import type { View } from '../view.ts'
import { createDocument, type DescribedApis, type DocumentReader, everyone } from './document.ts'
import type { ExampleObjects } from './examples.ts'
import { listFurtherPaths } from './further-paths.ts'
import type { OpenApiDocument } from './openapi-types.ts'
import type { DocumentOptions } from './options.ts'

/** The documents of one API. */
export interface ServerDocument {
  readonly options: DocumentOptions
  /** The document that is the same for everyone. It is made when it is first needed. */
  forEveryone(): OpenApiDocument
  /** The document for the caller of a request. */
  forCaller(context: RequestContext): Promise<OpenApiDocument>
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
  let made: OpenApiDocument | undefined
  const findApis = (): DescribedApis => ({
    prefix,
    root,
    views: listViewsBelow(server, prefix),
    paths: listFurtherPaths(server, prefix),
    examples: listExamples(server, prefix),
  })
  const create = (apis: DescribedApis, reader: DocumentReader = everyone) => createDocument(apis, options, reader)
  const document: ServerDocument = {
    options,
    forEveryone() {
      made ??= create(findApis())
      return made
    },
    async forCaller(context) {
      const apis = findApis()
      const allowed = await listAllowedMethods(apis.views, context)
      return create(apis, { caller: context, includes: (view, method) => allowed.get(view)!.has(method) })
    },
  }
  const documents = documentsByServer.get(server) ?? new Map<string, ServerDocument>()
  documentsByServer.set(server, documents)
  documents.set(prefix, document)
  return document
}

/**
 * The OpenAPI document of an API, for everyone, whoever may read it at its URL. Call it when Fastify is ready. `prefix`: where the API
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
