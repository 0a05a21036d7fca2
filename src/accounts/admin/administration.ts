// The administration: an API with which staff users manage accounts, groups, tokens, sessions and the resources of the
// application.

import { type ApiOptions, rootResponse } from '#api'
import { pageNumber, type Resource } from '#core'
import { auditResource } from '../audit/audit-resource.ts'
import { createAuthority } from '../authority.ts'
import { activityView } from './activity.ts'
import { authorizeAdminResource } from './admin-resource.ts'
import type { AdministrationOptions } from './administration-options.ts'
import { addDeletion } from './deletion.ts'
import { createFigures, figuresView, listReadable } from './figures.ts'
import { adminGroups } from './groups.ts'
import { addHistory, type CheckChange } from './history.ts'
import { homePage } from './home-page.ts'
import { listGrantablePermissions } from './permission-grid.ts'
import { protectChildren } from './protect-children.ts'
import { createRelatedResources } from './related-resources.ts'
import { adminSessions } from './sessions.ts'
import { addPermission, secondFactorRequired, staffAccount } from './staff-account.ts'
import { adminTokens } from './tokens.ts'
import { adminUsers } from './users.ts'

/**
 * Creates the API with `users`, `groups`, `tokens`, `sessions`, the resources of the application, and `audit-log`; 20
 * items per page. The permissions of the users, the groups and the resources of the application can be granted there.
 * Callers need an account that is staff, whichever scheme identifies them. Throws if a name is used twice.
 *
 * @example
 * const options = administration({ ...accounts, resources: [adminResource(orders)] })
 * await app.register(createApi({ ...accounts.apiOptions, views: {}, ...options }), { prefix: '/admin' })
 */
export function administration(options: AdministrationOptions): ApiOptions {
  const { database, grantedPermissions, auditLog } = options
  for (const shown of options.resources ?? []) checkAdminResource(shown)
  const resources = protectChildren(
    (options.resources ?? []).map(shown => authorizeAdminResource(shown, grantedPermissions)),
  )
  checkNames(resources)
  const grantable = listGrantablePermissions(resources)
  const authority = createAuthority(database, grantedPermissions)
  const permissions = [staffAccount(database), ...(options.needsSecondFactor ? [secondFactorRequired(database)] : [])]
  const groups = adminGroups(grantable, authority)
  const users = adminUsers(groups, grantable, authority, options)
  const checks: Readonly<Record<string, CheckChange>> = {
    users: (caller, key, connection) => authority.checkUser(caller, Number(key), {}, connection),
    groups: (caller, key, connection) => authority.checkGroup(caller, Number(key), [], connection),
  }
  const all = [
    users,
    groups,
    adminTokens(users, authority, options),
    adminSessions(users, authority, options),
    ...resources,
    ...(auditLog ? [auditResource(resources.flatMap(listEvents))] : []),
  ]
  const shown = all
    .map(resource => addDeletion(resource, database, all))
    .map(resource => (auditLog ? addHistory(resource, database, checks[resource.name]) : resource))
    .map(resource => permissions.reduceRight(addPermission, resource))
  const { listWarnings, clock } = options
  const readFigures = createFigures({
    database,
    resources: shown,
    hasAuditLog: auditLog !== undefined,
    listWarnings,
    clock,
  })
  return {
    title: 'Administration',
    isAdministration: true,
    views: {
      '/figures/': figuresView(readFigures),
      ...(auditLog && { '/activity/': activityView(database, shown) }),
    },
    resources: [...shown, ...createRelatedResources(shown)],
    permissions,
    pagination: pageNumber({ pageSize: 20, pageSizeQueryParam: 'page_size', maxPageSize: 200 }),
    openapi: { title: 'Administration' },
    root: {
      name: 'Administration',
      openapi: rootResponse,
      page: homePage(readFigures, shown),
      handlers: {
        async GET(context) {
          const names = await listReadable(shown, context)
          return { status: 200, body: Object.fromEntries(names.map(name => [name, `${context.baseUrl}/${name}/`])) }
        },
      },
    },
  }
}

// A config file may be JavaScript, so the compiler has not checked it.
function checkAdminResource(shown: { readonly resource?: Resource; readonly name?: string }): void {
  if (shown.resource === undefined)
    throw new Error(
      `administration(): "${shown.name}" is not a resource of the administration: wrap it in adminResource()`,
    )
}

/** The names of the administration's own resources; no resource of the application may have one of them. */
export const administrationNames: readonly string[] = ['users', 'groups', 'tokens', 'sessions', 'audit-log']

function checkNames(resources: readonly Resource[]): void {
  const names = new Set<string>()
  for (const { name } of resources) {
    if (administrationNames.includes(name))
      throw new Error(
        `administration(): the administration has its own "${name}": leave this resource out, or declare it under another name`,
      )
    if (names.has(name))
      throw new Error(`administration(): there are two resources named "${name}": leave one out, or rename it`)
    names.add(name)
  }
}

function listEvents({ auditEvent }: Resource): readonly string[] {
  if (auditEvent === undefined || auditEvent === null) return []
  return typeof auditEvent === 'string' ? [auditEvent] : Object.values(auditEvent).filter(event => event !== null)
}
