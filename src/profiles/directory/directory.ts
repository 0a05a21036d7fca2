// The directory profile (SVC-b1): authenticated callers list and edit users and groups, linked by URL. Changes that
// would grant or revoke permissions which the caller lacks are rejected with 403.

import {
  authenticated,
  hyperlinkedIdentity,
  hyperlinkedRelated,
  type Permission,
  pageNumber,
  type Resource,
  resource,
} from 'resource-api'
import {
  type AfterUserCreated,
  type Authority,
  checkUsername,
  defineAccountEvent,
  emailField,
  groupNameField,
  toUsernameKey,
  usernameField,
} from 'resource-api/accounts'
import type { Profile } from 'resource-api/service'

export interface DirectoryOptions {
  /** Default 10 (LIM-PAG-r1). */
  readonly pageSize?: number
  readonly afterUserCreated?: AfterUserCreated | undefined
  /** Default: every authenticated caller (AUTH-PERM-r1). */
  readonly permissions?: readonly Permission[] | undefined
  /** Checks changes of names and memberships, and deletions, against the rights of the caller. */
  readonly authority: Authority
}

const createGroups = (permissions: readonly Permission[], { authority }: DirectoryOptions) =>
  resource('groups', {
    table: 'groups',
    description: 'The groups of users.',
    auditEvent: defineAccountEvent('account changed'),
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

const createUsers = (permissions: readonly Permission[], groups: Resource, options: DirectoryOptions) =>
  resource('users', {
    table: 'users',
    description: 'The users of this service.',
    auditEvent: defineAccountEvent('account changed'),
    ordering: ['-date_joined'],
    searchFields: ['username', 'email'],
    orderingFields: ['username', 'email'],
    permissions,
    fields: {
      url: hyperlinkedIdentity(),
      username: usernameField,
      email: emailField,
      groups: hyperlinkedRelated({
        to: groups,
        many: { table: 'user_groups', own: 'user_id', other: 'group_id' },
        default: [],
      }),
    },
    hookColumns: ['date_joined', 'username_key'],
    validate: ({ username }, context) => checkUsername(username, context),
    prepare: ({ username }, { action, now }) => ({
      username_key: toUsernameKey(username),
      ...(action === 'create' && { date_joined: now }),
    }),
    async beforeSave({ username, email, groups }: UserValues, { context: { user, id }, connection }) {
      const { authority } = options
      if (id !== undefined) await authority.checkNames(user, id, { username, email }, connection)
      if (groups !== undefined) await authority.checkMemberships(user, id, groups, connection)
    },
    beforeDestroy: (id, { context, connection }) => options.authority.checkUserDeletion(context.user, id, connection),
    ...afterCreation(options),
  })

/** `groups` is absent if the request body has none. */
interface UserValues {
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

/** Creates the directory profile: users and groups, 10 items per page by default. */
export function directory(options: DirectoryOptions): Profile {
  const { pageSize = 10, permissions = [authenticated] } = options
  const groups = createGroups(permissions, options)
  return {
    name: 'directory',
    resources: [createUsers(permissions, groups, options), groups],
    migrations: {},
    pagination: pageNumber({ pageSize }),
  }
}
