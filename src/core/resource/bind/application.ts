// The APIs of one Fastify application. Relations between them are resolved when Fastify becomes ready, so the order in which
// they are registered does not matter.

import type { FastifyInstance } from 'fastify'
import type { View } from '../../view/view.ts'
import { type ApiProperties, createMountedApi, type MountedApi } from '../names/mounted-api.ts'
import { checkRelations } from './check-relations.ts'

/** An API, as contexts without a request need it. */
export type ContextApi = Pick<MountedApi, 'name' | 'prefix' | 'publicUrl'> & { readonly view: View }

interface Application {
  isReady: boolean
  readonly apis: MountedApi[]
  readonly contextApis: ContextApi[]
  readonly preparations: (() => unknown)[]
}

/** An API that has joined its application. */
export interface JoinedApi {
  readonly api: MountedApi
  /** All APIs of the application, once it is ready. */
  readonly apis: readonly MountedApi[]
  readonly isReady: () => boolean
  /** Makes the API known to `createContext`, with the view of its commands. */
  readonly addContext: (view: ContextApi['view']) => void
  /** Runs `prepare` once all APIs are known, before the first request. */
  readonly whenResolved: (prepare: () => unknown) => void
}

const applications = new WeakMap<FastifyInstance['server'], Application>()

/**
 * Adds an API to the application of its Fastify server. Throws if its name is taken; Fastify does not become ready if a
 * relation is wrong.
 */
export function joinApplication(fastify: FastifyInstance, properties: ApiProperties): JoinedApi {
  const application = findApplication(fastify)
  const { apis, contextApis, preparations } = application
  if (apis.some(({ name }) => name === properties.name))
    throw new Error(
      `createApi(): there are two APIs named "${properties.name}": mount them at different prefixes, or set the option "name" of one`,
    )
  const api = createMountedApi(properties, apis)
  apis.push(api)
  return {
    api,
    apis,
    isReady: () => application.isReady,
    addContext: view => void contextApis.push({ ...api, view }),
    whenResolved: prepare => void preparations.push(prepare),
  }
}

/** The APIs of a Fastify server to which contexts without a request can belong. */
export const listContextApis = (server: FastifyInstance['server']): readonly ContextApi[] =>
  applications.get(server)?.contextApis ?? []

function findApplication(fastify: FastifyInstance): Application {
  const found = applications.get(fastify.server)
  if (found !== undefined) return found
  const application: Application = { isReady: false, apis: [], contextApis: [], preparations: [] }
  applications.set(fastify.server, application)
  fastify.addHook('onReady', async () => {
    for (const api of application.apis) checkRelations(api, application.apis)
    for (const prepare of application.preparations) prepare()
    application.isReady = true
  })
  return application
}
