// Lists the APIs of the service with their paths: the profiles, the token endpoint and the administration.

import { type ApiOptions, allowAny, formParser, jsonParser, multipartParser, type ViewOptions } from 'resource-api'
import { administration, deriveSecrets } from 'resource-api/accounts'
import { directory } from 'resource-api/directory'
import type { Parser } from 'resource-api/extend'
import { adminSnippets, type SnippetsOptions, snippetProfile } from 'resource-api/snippets'
import { homeName } from '../pages/home.ts'
import type { Profile } from '../profile.ts'
import type { Services } from '../services.ts'
import { listServiceSecrets } from '../settings/secret-key.ts'
import type { ProfileName, Settings } from '../settings/settings.ts'
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
  const { tokenPath, adminPath } = settings
  const { root, resources } = accounts.tokenApi
  const hasTokenApi = accounts.tokenKind === 'named'
  return [
    ...createProfileApis(services, hasTokenApi ? accounts.loginViews : accounts.views),
    ...(hasTokenApi ? [{ prefix: tokenPath.slice(0, -1), options: { root: root!, resources: resources! } }] : []),
    ...(adminPath === null ? [] : [{ prefix: adminPath.slice(0, -1), options: createAdminOptions(services) }]),
  ]
}

const createAdminOptions = (services: Services): ApiOptions =>
  administration({
    ...services.accounts,
    resources: services.settings.profiles.includes('snippets') ? [adminSnippets(createSnippetOptions(services))] : [],
  })

// A single profile is mounted at the root. Several profiles are mounted at their paths, and the root links to them.
function createProfileApis(services: Services, views: Views): readonly MountedApi[] {
  const { settings } = services
  const [profile] = settings.profiles
  if (settings.profiles.length === 1)
    return [{ prefix: '/', options: { ...createProfileOptions(services, profile!), views } }]
  return [
    { prefix: '/', options: { root: createRootView(settings), views } },
    ...settings.profiles.map(name => ({
      prefix: settings.mounts[name].slice(0, -1),
      options: createProfileOptions(services, name),
    })),
  ]
}

/** Creates the options that all APIs share. */
export function createSharedOptions({ settings, accounts, rateStore, database }: Services): ApiOptions {
  return {
    database,
    authentication: [...accounts.apiOptions.authentication!, ...settings.schemes],
    parsers: createParsers(settings),
    throttles: createSharedThrottles(settings.throttles, rateStore),
    publicUrl: settings.publicUrl,
    allowedHosts: settings.allowedHosts,
    nonFieldErrorsKey: settings.nonFieldErrorsKey,
    formatParam: settings.formatParam,
    secret: deriveSecrets(listServiceSecrets(settings), 'cursors'),
    ...(settings.anonymous && { anonymous: settings.anonymous }),
    ...(settings.exceptionHandler && { exceptionHandler: settings.exceptionHandler }),
  }
}

// A body has room for the longest permitted code, with up to 4 bytes of UTF-8 per character, and for the other fields.
function createParsers({ codeLimit, limits }: Settings): readonly Parser[] {
  const { jsonDepth: depth, formFields: maxFields, bodySize } = limits
  const limit = Math.max(bodySize, 4 * codeLimit + 64 * 1024)
  return [jsonParser({ limit, depth }), formParser({ limit, maxFields }), multipartParser({ limit, maxFields })]
}

function createProfileOptions(services: Services, name: ProfileName): ApiOptions {
  const { resources, pagination } = createProfile(services, name)
  const { settings, rateStore } = services
  const { throttles } = settings
  return {
    name,
    resources,
    throttles: [...createSharedThrottles(throttles, rateStore), ...createScopeThrottles(name, throttles, rateStore)],
    ...(pagination && { pagination }),
  }
}

function createProfile(services: Services, name: ProfileName): Profile {
  const { settings, accounts } = services
  if (name === 'directory') {
    return directory({
      pageSize: settings.pageSize,
      permissions: settings.directoryPermissions,
      afterUserCreated: accounts.afterUserCreated,
      authority: accounts.authority,
    })
  }
  return snippetProfile(createSnippetOptions(services))
}

const createSnippetOptions = ({ settings, highlighter }: Services): SnippetsOptions => ({
  highlighter,
  codeLimit: settings.codeLimit,
  pagination: settings.snippetPagination,
})

// Links to the root of each profile.
function createRootView({ profiles, mounts }: Settings): ViewOptions {
  return {
    name: homeName,
    permissions: [allowAny],
    handlers: {
      GET: ({ baseUrl }) => ({
        status: 200,
        body: Object.fromEntries(profiles.map(name => [name, `${baseUrl}${mounts[name]}`])),
      }),
    },
  }
}
