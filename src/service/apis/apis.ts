// The APIs of the service: one for each profile, or one profile at the root; tokens, and the administration.

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
import { administeredSnippets, type SnippetsOptions, snippetProfile } from '../../profiles/snippets/snippets.ts'
import { type Audit, auditGuard } from '../audit/audit.ts'
import { auditResource } from '../audit/audit-resource.ts'
import { homeName } from '../pages/home.ts'
import { afterUserCreated, type Services } from '../services.ts'
import { secretsOf } from '../settings/secret-key.ts'
import type { ProfileName, Settings } from '../settings/settings.ts'
import { profileThrottles, throttlesOf } from './throttles.ts'
import { tokenApi } from './tokens.ts'

type Views = NonNullable<ApiOptions['views']>

/** An API and where it stands. */
export interface MountedApi {
  readonly prefix: string
  readonly options: ApiOptions
}

/** All APIs of the service. */
export function apisOf(services: Services, loginViews: Views, audit: Audit): readonly MountedApi[] {
  const { settings, rateStore, tokens } = services
  const { tokenPath, adminPath, tokenResponse: extend } = settings
  const throttles = throttlesOf('token', settings.throttles, rateStore)
  const loginThrottle = {
    ...services.loginThrottle,
    guard: auditGuard(services.loginThrottle.guard, audit, 'token made'),
  }
  const endpoint = tokenEndpoint({ ...services, loginThrottle, throttles, extend })
  const tokenBranch = tokenApi(settings, tokens, endpoint)
  return [
    ...profileApis(services, { ...(!tokenBranch && { [tokenPath]: endpoint }), ...loginViews }),
    ...(tokenBranch ? [{ prefix: tokenPath.slice(0, -1), options: tokenBranch }] : []),
    ...(adminPath === null ? [] : [{ prefix: adminPath.slice(0, -1), options: adminOptions(services) }]),
  ]
}

function adminOptions(services: Services): ApiOptions {
  const { settings, tokens } = services
  return administration({
    ...services,
    tokenKind: settings.tokens,
    models: ['users', 'groups', 'snippets', ...settings.models],
    afterUserCreated: afterUserCreated(settings, tokens),
    resources: [
      ...(settings.profiles.includes('snippets') ? [administeredSnippets(snippetOptions(services))] : []),
      ...(settings.auditRetention === null ? [] : [auditResource]),
    ],
  })
}

// One profile alone is the root; several stand below it, each at its own path.
function profileApis(services: Services, views: Views): readonly MountedApi[] {
  const { settings } = services
  const [first, ...others] = settings.profiles
  if (others.length === 0) return [{ prefix: '/', options: { ...profileOptions(services, first!), views } }]
  return [
    { prefix: '/', options: { root: profilesView(settings), views } },
    ...settings.profiles.map(name => ({
      prefix: settings.mounts[name].slice(0, -1),
      options: profileOptions(services, name),
    })),
  ]
}

/** The options that all APIs share. */
export function sharedOptions({ settings, rateStore, database }: Services): ApiOptions {
  return {
    database,
    parsers: parsers(settings),
    throttles: profileThrottles(settings.throttles, rateStore),
    publicUrl: settings.publicUrl,
    allowedHosts: settings.allowedHosts,
    nonFieldErrorsKey: settings.nonFieldErrorsKey,
    formatParam: settings.formatParam,
    secret: deriveSecrets(secretsOf(settings), 'cursors'),
    ...(settings.anonymous && { anonymous: settings.anonymous }),
    ...(settings.exceptionHandler && { exceptionHandler: settings.exceptionHandler }),
  }
}

// The longest code fits, whatever characters it has, with the rest of its snippet.
function parsers({ codeLimit, limits }: Settings): readonly Parser[] {
  const { jsonDepth: depth, formFields: maxFields, bodySize } = limits
  const limit = Math.max(bodySize, 4 * codeLimit + 64 * 1024)
  return [jsonParser({ limit, depth }), formParser({ limit, maxFields }), multipartParser({ limit, maxFields })]
}

function profileOptions(services: Services, name: ProfileName): ApiOptions {
  const { resources, pagination } = profileOf(services, name)
  const { settings, rateStore } = services
  const { throttles } = settings
  return {
    resources,
    throttles: [...profileThrottles(throttles, rateStore), ...throttlesOf(name, throttles, rateStore)],
    ...(pagination && { pagination }),
  }
}

function profileOf(services: Services, name: ProfileName): Profile {
  const { settings, tokens, granted, database } = services
  if (name === 'directory') {
    return directory({
      pageSize: settings.pageSize,
      permissions: settings.directoryPermissions,
      afterUserCreated: afterUserCreated(settings, tokens),
      authority: createAuthority(database, granted),
    })
  }
  return snippetProfile(snippetOptions(services))
}

const snippetOptions = ({ settings, highlighter }: Services): SnippetsOptions => ({
  highlighter,
  codeLimit: settings.codeLimit,
  pagination: settings.snippetPagination,
})

function profilesView({ profiles, mounts }: Settings): ViewOptions {
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
