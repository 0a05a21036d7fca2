// The users and groups as targets of relations of other profiles. Their URLs are those of the directory.

import { key, resource } from 'resource-api'
import { emailField, groupNameField, usernameField } from '#accounts'

const api = 'directory'
const ownUsers = resource('users', {
  table: 'users',
  fields: { id: key(), username: usernameField, email: emailField },
})
const ownGroups = resource('groups', { table: 'groups', fields: { id: key(), name: groupNameField } })

/**
 * The users of the service: the table `users` with the key `id`.
 *
 * @example
 * mechanic: related(users, { form: 'url' })
 */
export const users: typeof ownUsers = { ...ownUsers, api }

/** The groups of the service: the table `groups` with the key `id`. */
export const groups: typeof ownGroups = { ...ownGroups, api }
