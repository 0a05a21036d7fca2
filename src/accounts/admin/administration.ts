// The administration: an API with which staff users manage accounts, groups, tokens, sessions and the service's own
// resources.
// It uses the schemes, parsers, renderers and settings of the service.

import { type ApiOptions, pageNumber, type Resource, staff } from 'resource-api'
import { auditResource } from '../audit/audit-resource.ts'
import { createAuthority } from '../authority.ts'
import { formatPermission, grantActions } from '../granted-permissions.ts'
import type { AdministrationOptions } from './administration-options.ts'
import { adminGroups } from './groups.ts'
import { adminSessions } from './sessions.ts'
import { adminTokens } from './tokens.ts'
import { adminUsers } from './users.ts'

/** Creates the API with `users`, `groups`, `tokens`, `sessions` and the additional resources, 20 items per page. */
export function administration(options: AdministrationOptions): ApiOptions {
  const models = ['users', 'groups', ...(options.models ?? [])]
  const permissions = models.flatMap(model => grantActions.map(grant => formatPermission(grant, model)))
  const authority = createAuthority(options.database, options.grantedPermissions)
  const groups = adminGroups(permissions, authority)
  const users = adminUsers(groups, permissions, authority, options)
  const [tokens, sessions] = [adminTokens, adminSessions].map(create => create(users, authority, options))
  const shown = options.resources ?? []
  const auditLog = options.auditLog ? [auditResource(listEvents(shown))] : []
  const resources = [users, groups, tokens!, sessions!, ...shown, ...auditLog]
  return {
    resources,
    permissions: [staff],
    pagination: pageNumber({ pageSize: 20 }),
    root: {
      name: 'Administration',
      handlers: {
        GET: ({ baseUrl }) => ({
          status: 200,
          body: Object.fromEntries(resources.map(({ name }) => [name, `${baseUrl}/${name}/`])),
        }),
      },
    },
  }
}

const listEvents = (resources: readonly Resource[]): readonly string[] =>
  resources
    .flatMap(({ auditEvent }) => Object.values(typeof auditEvent === 'string' ? [auditEvent] : (auditEvent ?? {})))
    .filter(event => event !== null)
