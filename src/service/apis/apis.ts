// Lists the APIs of the service with their paths: the profiles, the token endpoint and the administration.

import { administration } from '../../accounts/admin/administration.ts'
import { createAuthority } from '../../accounts/authority.ts'
import { deriveSecrets } from '../../accounts/encryption.ts'
import { tokenEndpoint } from '../../accounts/tokens/token-endpoint.ts'
import type { ApiOptions } from '../../framework/api.ts'
import { formParser } from '../../framework/parsers/form.ts'
import { jsonParser } from '../../framework/parsers/json.ts'
import { multipartParser } from '../../framework/parsers/multipart.ts'
import type { Parser } from '../../framework/parsers/parser.ts'
import { allowAny } from '../../framework/permissions/built-in-permissions.ts'
import type { ViewOptions } from '../../framework/view.ts'
import { directory } from '../../profiles/directory/directory.ts'
import type { Profile } from '../../profiles/profile.ts'
import { adminSnippets, type SnippetsOptions, snippetProfile } from '../../profiles/snippets/snippets.ts'
import { type Audit, createAuditedGuard } from '../audit/audit.ts'
import { auditResource } from '../audit/audit-resource.ts'
import { homeName } from '../pages/home.ts'
import { afterUserCreated, type Services } from '../services.ts'
import { listServiceSecrets } from '../settings/secret-key.ts'
import type { ProfileName, Settings } from '../settings/settings.ts'
import { createScopeThrottles, createSharedThrottles } from './throttles.ts'
import { createTokenApi } from './tokens.ts'

type Views = NonNullable<ApiOptions['views']>

/** An API and its path prefix. */
export interface MountedApi {
  readonly prefix: string
  readonly options: ApiOptions
}

/** Lists the APIs of the service, each with its options. */
export function createApis(services: Services, loginViews: Views, audit: Audit): readonly MountedApi[] {
  const { settings, rateStore, tokens } = services
  const { tokenPath, adminPath, tokenResponse: extend } = settings
  const throttles = createScopeThrottles('token', settings.throttles, rateStore)
  const loginThrottle = {
    ...services.loginThrottle,
    guard: createAuditedGuard(services.loginThrottle.guard, audit, 'token made'),
  }
  const endpoint = tokenEndpoint({ ...services, loginThrottle, throttles, extend })
  const tokenApi = createTokenApi(settings, tokens, endpoint)
  return [
    ...createProfileApis(services, { ...(!tokenApi && { [tokenPath]: endpoint }), ...loginViews }),
    ...(tokenApi ? [{ prefix: tokenPath.slice(0, -1), options: tokenApi }] : []),
    ...(adminPath === null ? [] : [{ prefix: adminPath.slice(0, -1), options: createAdminOptions(services) }]),
  ]
}

function createAdminOptions(services: Services): ApiOptions {
  const { settings, tokens } = services
  return administration({
    ...services,
    tokenKind: settings.tokens,
    models: ['users', 'groups', 'snippets', ...settings.models],
    afterUserCreated: afterUserCreated(settings, tokens),
    resources: [
      ...(settings.profiles.includes('snippets') ? [adminSnippets(createSnippetOptions(services))] : []),
      ...(settings.auditRetention === null ? [] : [auditResource]),
    ],
  })
}

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
export function createSharedOptions({ settings, rateStore, database }: Services): ApiOptions {
  return {
    database,
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
  const { settings, tokens, grantedPermissions, database } = services
  if (name === 'directory') {
    return directory({
      pageSize: settings.pageSize,
      permissions: settings.directoryPermissions,
      afterUserCreated: afterUserCreated(settings, tokens),
      authority: createAuthority(database, grantedPermissions),
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
