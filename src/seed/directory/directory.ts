// The directory profile (SVC-b1): authenticated callers list and edit users and groups, linked by URL. Changes that
// would grant or revoke permissions which the caller lacks are rejected with 403.

import {
  authenticated,
  type Connection,
  forTypes,
  hyperlinkedIdentity,
  type Identity,
  type Permission,
  pageNumber,
  type Resource,
  related,
} from 'resource-api'
import { type AfterUserCreated, accountMessages, type accountTables } from 'resource-api/accounts'
import { type Profile, profile } from 'resource-api/service'
import * as z from 'zod'
import { type Authority, checkUsername, defineAccountEvent, groupTable, toUsernameKey, userTable } from '#accounts'

/** The settings of the directory profile. */
export const directorySettings = z.object({
  /** The number of items on a page of a list (LIM-PAG-r1). */
  pageSize: z.int('must be a whole number').min(1, 'must be 1 or more').default(10),
  /** The permission policies of users and groups; default: every authenticated caller (AUTH-PERM-r1). */
  permissions: z.custom<readonly Permission[]>(Array.isArray, 'must be a list of permission policies').optional(),
})

export type DirectoryOptions = z.input<typeof directorySettings>

/** Creates the directory profile. */
export const directory = (options: DirectoryOptions = {}): Profile =>
  profile('directory', {
    title: 'Directory',
    description: 'Users and groups. Requires login.',
    settings: { schema: directorySettings, values: options },
    examples: [{ title: 'List users, page 2', path: 'users/?page=2' }],
    demo: { title: 'Users and groups' },
    open({ settings: { pageSize, permissions = [authenticated] }, accounts }) {
      const { authority, afterUserCreated } = accounts
      return {
        resources: directoryResources({ permissions, authority, afterUserCreated }),
        pagination: pageNumber({ pageSize }),
        // The specification fixes what `OPTIONS` contains.
        describesLists: false,
        suggestsIndexes: false,
      }
    },
  })

export interface DirectoryPolicies {
  readonly permissions: readonly Permission[]
  /** Checks changes of names and memberships, and deletions, against the rights of the caller. */
  readonly authority: Authority
  readonly afterUserCreated?: AfterUserCreated | undefined
}

/** Creates the resources of users and groups. */
export function directoryResources(policies: DirectoryPolicies): readonly Resource[] {
  const groups = createGroups(policies)
  return [createUsers(groups, policies), groups]
}

const { resource } = forTypes<Identity, typeof accountTables>()

const createGroups = ({ permissions, authority }: DirectoryPolicies) =>
  resource('groups', {
    table: groupTable,
    description: accountMessages('about.groups_of_users'),
    pages: { names: { one: accountMessages('name.groups.one'), many: accountMessages('name.groups.many') } },
    auditEvent: defineAccountEvent('account changed'),
    objectName: 'name',
    ordering: ['name'],
    searchFields: ['name'],
    orderingFields: ['name'],
    permissions,
    fields: {
      url: hyperlinkedIdentity(),
      ...groupTable.pick('name'),
    },
    beforeDestroy: ({ key, user, connection }) => authority.checkGroup(user, key, [], connection),
  })

const createUsers = (
  groups: ReturnType<typeof createGroups>,
  { permissions, authority, afterUserCreated }: DirectoryPolicies,
) =>
  resource('users', {
    table: userTable,
    description: accountMessages('about.users_of_service'),
    pages: { names: { one: accountMessages('name.users.one'), many: accountMessages('name.users.many') } },
    auditEvent: defineAccountEvent('account changed'),
    objectName: 'username',
    ordering: ['-date_joined'],
    searchFields: ['username', 'email'],
    orderingFields: ['username', 'email'],
    permissions,
    fields: {
      url: hyperlinkedIdentity(),
      ...userTable.pick('username', 'email'),
      groups: related(groups, {
        many: { table: 'user_groups', own: 'user_id', other: 'group_id' },
        default: [],
        form: 'url',
        label: accountMessages('label.groups'),
      }),
    },
    hookColumns: ['username_key'],
    validate: ({ values, key, connection }) => checkUsername(values.username, { id: key, connection }),
    prepare: ({ values }) => ({ username_key: toUsernameKey(values.username) }),
    async beforeSave({ values, key, user, connection }) {
      const { username, email, groups }: UserValues = values
      if (key !== undefined) await authority.checkNames(user, key, { username, email }, connection)
      if (groups !== undefined) await authority.checkMemberships(user, key, groups, connection)
    },
    beforeDestroy: ({ key, user, connection }) => authority.checkUserDeletion(user, key, connection),
    ...(afterUserCreated && { afterSave: createAfterSave(afterUserCreated) }),
  })

/** `groups` is absent if the request body has none. */
interface UserValues {
  readonly username: string
  readonly email: string
  readonly groups?: readonly number[]
}

const createAfterSave =
  (afterUserCreated: AfterUserCreated) =>
  async ({ action, key, connection }: { action: string; key: number; connection: Connection }): Promise<void> => {
    if (action === 'create') await afterUserCreated(key, connection)
  }
