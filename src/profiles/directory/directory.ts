// The directory profile (SVC-b1): authenticated callers list and edit users and groups, linked by URL.

import { emailField, groupNameField, usernameField } from '../../accounts/fields.ts'
import { checkUsername, usernameKey } from '../../accounts/username-key.ts'
import type { AfterUserCreated } from '../../accounts/users.ts'
import { hyperlinkedIdentity } from '../../framework/fields/hyperlinked-identity.ts'
import { hyperlinkedRelated } from '../../framework/fields/hyperlinked-related.ts'
import { pageNumber } from '../../framework/pagination/page-number.ts'
import { authenticated } from '../../framework/permissions/authenticated.ts'
import { resource } from '../../framework/resources/resource.ts'
import type { Profile } from '../profile.ts'

export interface DirectoryOptions {
  /** Default 10 (LIM-PAG-r1). */
  readonly pageSize?: number
  readonly afterUserCreated?: AfterUserCreated | undefined
}

const groups = resource('groups', {
  table: 'groups',
  description: 'Groups that users belong to.',
  ordering: ['name'],
  permissions: [authenticated],
  fields: {
    url: hyperlinkedIdentity(),
    name: groupNameField,
  },
})

const users = (afterUserCreated?: AfterUserCreated) =>
  resource('users', {
    table: 'users',
    description: 'The people who may use this service.',
    ordering: ['-date_joined'],
    permissions: [authenticated],
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
    hidden: ['date_joined', 'username_key'],
    validate: ({ username }, context) => checkUsername(username, context),
    prepare: ({ username }, { action, now }) => ({
      username_key: usernameKey(username),
      ...(action === 'create' && { date_joined: now }),
    }),
    ...(afterUserCreated && {
      afterSave: async (id, { context, connection }) => {
        if (context.action === 'create') await afterUserCreated(id, connection)
      },
    }),
  })

/** Users and groups, ten to a page. */
export function directory({ pageSize = 10, afterUserCreated }: DirectoryOptions = {}): Profile {
  return {
    name: 'directory',
    resources: [users(afterUserCreated), groups],
    migrations: {},
    pagination: pageNumber({ pageSize }),
  }
}
