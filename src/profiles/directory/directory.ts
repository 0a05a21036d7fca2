// The directory profile (SVC-b1): authenticated callers list and edit users and groups, linked by URL. Editing moves no
// rights: what would do so is 403.

import { accountEvent } from '../../accounts/audit-events.ts'
import type { Authority } from '../../accounts/authority.ts'
import { emailField, groupNameField, usernameField } from '../../accounts/fields.ts'
import { checkUsername, usernameKey } from '../../accounts/username-key.ts'
import type { AfterUserCreated } from '../../accounts/users.ts'
import { hyperlinkedIdentity } from '../../framework/fields/hyperlinked-identity.ts'
import { hyperlinkedRelated } from '../../framework/fields/hyperlinked-related.ts'
import { pageNumber } from '../../framework/pagination/page-number.ts'
import { authenticated } from '../../framework/permissions/built-in-permissions.ts'
import type { Permission } from '../../framework/permissions/permission.ts'
import { resource } from '../../framework/resources/define-resource.ts'
import type { Resource } from '../../framework/resources/resource.ts'
import type { Profile } from '../profile.ts'

export interface DirectoryOptions {
  /** Default 10 (LIM-PAG-r1). */
  readonly pageSize?: number
  readonly afterUserCreated?: AfterUserCreated | undefined
  /** Who may use it; default: every authenticated caller, as specified (AUTH-PERM-r1). */
  readonly permissions?: readonly Permission[] | undefined
  /** Asked before accounts are renamed or deleted, and before users join or leave groups. */
  readonly authority: Authority
}

const groups = (permissions: readonly Permission[], { authority }: DirectoryOptions) =>
  resource('groups', {
    table: 'groups',
    description: 'Groups that users belong to.',
    auditEvent: accountEvent('account changed'),
    ordering: ['name'],
    searchFields: ['name'],
    orderingFields: ['name'],
    permissions,
    fields: {
      url: hyperlinkedIdentity(),
      name: groupNameField,
    },
    beforeDestroy: (id, { context, connection }) => authority.checkGroup(context.user, id, [], connection),
  })

const users = (permissions: readonly Permission[], groupResource: Resource, options: DirectoryOptions) =>
  resource('users', {
    table: 'users',
    description: 'The people who may use this service.',
    auditEvent: accountEvent('account changed'),
    ordering: ['-date_joined'],
    searchFields: ['username', 'email'],
    orderingFields: ['username', 'email'],
    permissions,
    fields: {
      url: hyperlinkedIdentity(),
      username: usernameField,
      email: emailField,
      groups: hyperlinkedRelated({
        to: groupResource,
        many: { table: 'user_groups', own: 'user_id', other: 'group_id' },
        default: [],
      }),
    },
    hookColumns: ['date_joined', 'username_key'],
    validate: ({ username }, context) => checkUsername(username, context),
    prepare: ({ username }, { action, now }) => ({
      username_key: usernameKey(username),
      ...(action === 'create' && { date_joined: now }),
    }),
    async beforeSave({ username, email, groups }: Saved, { context: { user, id }, connection }) {
      const { authority } = options
      if (id !== undefined) await authority.checkNames(user, id, { username, email }, connection)
      if (groups !== undefined) await authority.checkMemberships(user, id, groups, connection)
    },
    beforeDestroy: (id, { context, connection }) => options.authority.checkUserDeletion(context.user, id, connection),
    ...afterCreation(options),
  })

/** Groups are there only where the body names them. */
interface Saved {
  readonly username: string
  readonly email: string
  readonly groups?: readonly number[]
}

function afterCreation({ afterUserCreated }: DirectoryOptions): Pick<Resource, 'afterSave'> {
  if (afterUserCreated === undefined) return {}
  return {
    async afterSave(id, { context, connection }) {
      if (context.action === 'create') await afterUserCreated(id, connection)
    },
  }
}

/** Users and groups, ten to a page. */
export function directory(options: DirectoryOptions): Profile {
  const { pageSize = 10, permissions = [authenticated] } = options
  const groupResource = groups(permissions, options)
  return {
    name: 'directory',
    resources: [users(permissions, groupResource, options), groupResource],
    migrations: {},
    pagination: pageNumber({ pageSize }),
  }
}
