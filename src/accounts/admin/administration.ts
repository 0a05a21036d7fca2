// The administration: accounts, groups and tokens as JSON, for the staff. An API beside the profiles, with schemes,
// parsers and settings of the service.

import type { ApiOptions } from '../../framework/api.ts'
import type { Database } from '../../framework/database/database.ts'
import { pageNumber } from '../../framework/pagination/page-number.ts'
import { staff } from '../../framework/permissions/staff.ts'
import { type GrantedPermissions, grants, permissionTo } from '../granted-permissions.ts'
import type { TokenIssuer, TokenKind } from '../token-issuer.ts'
import type { AfterUserCreated } from '../users.ts'
import { createAuthority } from './authority.ts'
import { adminGroups } from './groups.ts'
import { adminTokens } from './tokens.ts'
import { adminUsers } from './users.ts'

export interface AdministrationOptions {
  readonly database: Database
  readonly granted: GrantedPermissions
  readonly tokens: TokenIssuer
  readonly tokenKind: TokenKind
  /** The names of resources whose permissions can be granted. */
  readonly models: readonly string[]
  readonly afterUserCreated?: AfterUserCreated | undefined
}

/** The administration as an API: `users`, `groups` and `tokens`, twenty to a page. */
export function administration(options: AdministrationOptions): ApiOptions {
  const known = options.models.flatMap(model => grants.map(grant => permissionTo(grant, model)))
  const authority = createAuthority(options.database, options.granted)
  const groups = adminGroups(known, authority)
  const users = adminUsers(groups, known, authority, options)
  const resources = [users, groups, adminTokens(users, authority, options)]
  return {
    resources,
    permissions: [staff],
    pagination: pageNumber({ pageSize: 20 }),
    root: {
      name: 'Administration',
      handlers: {
        GET: ({ baseUrl }) => ({
          status: 200,
          content: Object.fromEntries(resources.map(({ name }) => [name, `${baseUrl}/${name}/`])),
        }),
      },
    },
  }
}
