// Lists the APIs of the service with their paths: the profiles, the token endpoint, the saved views and the administration.

import { accountMessages, administration, deriveSecrets, superuser } from '#accounts'
import { type ApiOptions, rootResponse } from '#api'
import {
  allowAny,
  formParser,
  jsonParser,
  jsonRenderer,
  multipartParser,
  type Parser,
  staff,
  type ViewOptions,
} from '#core'
import type { OpenProfile } from '../open-profiles.ts'
import { homeName, homePage } from '../pages/home.ts'
import { createPageRenderer, type Pages } from '../pages/pages.ts'
import type { Services } from '../services.ts'
import { listDeploymentProblems } from '../settings/deployment-checks.ts'
import { readEnvironment } from '../settings/environment.ts'
import { openSchemes } from '../settings/schemes-setting.ts'
import { listServiceSecrets } from '../settings/secret-key.ts'
import { jobsResource } from './jobs-resource.ts'
import { createScopeThrottles, createSharedThrottles } from './throttles.ts'

type Views = NonNullable<ApiOptions['views']>

/** An API and its path prefix. */
export interface MountedApi {
  readonly prefix: string
  readonly options: ApiOptions
}

/** Lists the APIs of the service, each with its options. */
export function createApis(services: Services): readonly MountedApi[] {
  const { settings, accounts } = services
  const { tokenPath, adminPath, loginPath } = settings
  const { [tokenPath]: _, ...loginViews } = accounts.views
  const { root, resources } = accounts.tokenApi
  const { resources: savedViews } = accounts.savedViewsApi
  const hasTokenApi = accounts.tokenKind === 'named'
  const apis: readonly MountedApi[] = [
    ...createProfileApis(services, hasTokenApi ? loginViews : accounts.views),
    ...(hasTokenApi
      ? [
          {
            prefix: tokenPath.slice(0, -1),
            options: { title: null, root: root!, resources: resources!, openapi: { title: 'Tokens' } },
          },
        ]
      : []),
    ...(loginPath === null || accounts.login === undefined
      ? []
      : [
          {
            prefix: `${loginPath}my`,
            options: { title: null, root: null, resources: savedViews!, openapi: false as const },
          },
        ]),
    ...(adminPath === null ? [] : [{ prefix: adminPath.slice(0, -1), options: createAdminOptions(services) }]),
  ]
  return apis.map(({ prefix, options }) => ({
    prefix,
    options: { ...options, openapi: restrictDocument(options, settings) },
  }))
}

// The readers of the service's document are those of every document in it.
function restrictDocument({ openapi }: ApiOptions, settings: Services['settings']): NonNullable<ApiOptions['openapi']> {
  if (openapi === false || settings.openapi === false) return false
  const { permissions, schemaFor, docs } = settings.openapi ?? {}
  return {
    ...openapi,
    ...(permissions && { permissions }),
    ...(schemaFor && { schemaFor }),
    ...(docs !== undefined && { docs }),
  }
}

function createAdminOptions(services: Services): ApiOptions {
  const { accounts, profiles, settings, clock } = services
  return {
    ...administration({
      ...accounts,
      resources: [
        ...profiles.flatMap(({ admin }) => admin),
        ...([accounts, ...profiles].some(({ jobs }) => jobs.length > 0)
          ? [{ resource: jobsResource(clock), permissions: [staff, superuser] }]
          : []),
      ],
      listWarnings: () => listDeploymentProblems(settings, readEnvironment(settings)),
      clock,
    }),
    // Few callers use these lists.
    suggestsIndexes: false,
    ...createRenderers(services, Object.assign({}, ...profiles.map(findAdminPages))),
  }
}

// The administration shows an object of a profile as the profile does.
const findAdminPages = ({ admin, pages }: OpenProfile): Pages =>
  Object.fromEntries(
    Object.entries(pages).filter(([id]) => admin.some(({ resource }) => id.startsWith(`${resource.name}-`))),
  )

// A single profile is mounted at the root. Several profiles are mounted at their paths, and the root links to them.
function createProfileApis(services: Services, views: Views): readonly MountedApi[] {
  const { settings, profiles } = services
  const [profile] = profiles
  if (profiles.length === 1) {
    const options = createProfileOptions(services, profile!)
    return [
      {
        prefix: '/',
        options: {
          ...options,
          openapi: options.openapi !== false && { ...options.openapi, ...settings.openapi },
          views: { ...options.views, ...views },
        },
      },
    ]
  }
  const pages = { [homeName]: homePage(settings, profiles) }
  return [
    {
      prefix: '/',
      options: {
        root: createRootView(profiles),
        views,
        openapi: { title: settings.pages?.title ?? homeName, ...settings.openapi },
        ...createRenderers(services, pages),
      },
    },
    ...profiles.map(profile => ({
      prefix: profile.mount.slice(0, -1),
      options: createProfileOptions(services, profile),
    })),
  ]
}

// Each API has the pages of its own views.
const createRenderers = ({ settings, accounts }: Services, pages: Pages): Pick<ApiOptions, 'renderers'> => ({
  renderers: [jsonRenderer, createPageRenderer(settings, accounts, pages)],
})

/** Creates the options that all APIs share. */
export function createSharedOptions(services: Services): ApiOptions {
  const { settings, accounts, rateStore, database } = services
  return {
    database,
    authentication: [...accounts.apiOptions.authentication, ...openSchemes(settings.schemes, services)],
    parsers: createParsers(services),
    ...createRenderers(services, {}),
    throttles: createSharedThrottles(settings.throttles, rateStore),
    publicUrl: settings.publicUrl,
    allowedHosts: settings.allowedHosts,
    nonFieldErrorsKey: settings.nonFieldErrorsKey,
    formatParam: settings.formatParam,
    compression: settings.compression,
    rowsPerRequest: settings.limits.rowsPerRequest,
    secret: deriveSecrets(listServiceSecrets(settings), 'cursors'),
    ...(settings.anonymous && { anonymous: settings.anonymous }),
    ...(settings.exceptionHandler && { exceptionHandler: settings.exceptionHandler }),
    ...(settings.messages && { messages: settings.messages }),
    ...(settings.languages && { languages: settings.languages }),
    catalogues: [accountMessages, ...services.profiles.flatMap(({ catalogues }) => catalogues), ...settings.catalogues],
  }
}

// All APIs accept the largest body, because the administration writes the objects of the profiles too.
function createParsers({ settings, profiles }: Services): readonly Parser[] {
  const { jsonDepth: depth, formFields: maxFields, bodySize } = settings.limits
  const limit = Math.max(bodySize, ...profiles.map(profile => profile.bodySize))
  return [jsonParser({ limit, depth }), formParser({ limit, maxFields }), multipartParser({ limit, maxFields })]
}

function createProfileOptions(services: Services, profile: OpenProfile): ApiOptions {
  const { name, title, resources, views, pagination, strict, describesLists, suggestsIndexes, permissions, pages } =
    profile
  const { unknownFields, idempotencyKeys, trailingSlash, envelope, put, openapi, parameters } = profile
  const { settings, rateStore } = services
  const { throttles } = settings
  return {
    name,
    title,
    resources,
    views,
    strict,
    unknownFields,
    describesLists,
    suggestsIndexes,
    idempotencyKeys,
    trailingSlash,
    put,
    openapi,
    parameters,
    ...(envelope && { envelope }),
    throttles: [...createSharedThrottles(throttles, rateStore), ...createScopeThrottles(name, throttles, rateStore)],
    ...(pagination && { pagination }),
    ...(permissions && { permissions }),
    ...createRenderers(services, pages),
  }
}

// Links to the root of each profile.
const createRootView = (profiles: readonly OpenProfile[]): ViewOptions => ({
  name: homeName,
  permissions: [allowAny],
  openapi: rootResponse,
  handlers: {
    GET: ({ baseUrl }) => ({
      status: 200,
      body: Object.fromEntries(profiles.map(({ name, root }) => [name, `${baseUrl}${root}`])),
    }),
  },
})
