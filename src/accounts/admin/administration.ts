// The administration: accounts, groups, tokens, sessions and what the service adds, for the staff. An API beside the
// profiles, with schemes, parsers, renderers and settings of the service.

import type { ApiOptions } from '../../framework/api.ts'
import { pageNumber } from '../../framework/pagination/page-number.ts'
import { staff } from '../../framework/permissions/built-in-permissions.ts'
import { createAuthority } from '../authority.ts'
import { grants, permissionTo } from '../granted-permissions.ts'
import type { AdministrationOptions } from './administration-options.ts'
import { adminGroups } from './groups.ts'
import { adminSessions } from './sessions.ts'
import { adminTokens } from './tokens.ts'
import { adminUsers } from './users.ts'

/** The administration as an API: `users`, `groups`, `tokens`, `sessions` and more, twenty to a page. */
export function administration(options: AdministrationOptions): ApiOptions {
  const known = options.models.flatMap(model => grants.map(grant => permissionTo(grant, model)))
  const authority = createAuthority(options.database, options.granted)
  const groups = adminGroups(known, authority)
  const users = adminUsers(groups, known, authority, options)
  const [tokens, sessions] = [adminTokens, adminSessions].map(make => make(users, authority, options))
  const resources = [users, groups, tokens!, sessions!, ...(options.resources ?? [])]
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
