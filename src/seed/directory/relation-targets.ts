// The users and groups as targets of relations of other profiles. Their URLs are those of the directory.

import { resource } from 'resource-api'
import { groupTable, userTable } from '#accounts'

const api = 'directory'
const ownUsers = resource('users', { table: userTable, fields: userTable.pick('id', 'username', 'email') })
const ownGroups = resource('groups', { table: groupTable, fields: groupTable.pick('id', 'name') })

/**
 * The users of the service: the table `users` with the key `id`.
 *
 * @example
 * mechanic: related(users, { form: 'url' })
 */
export const users: typeof ownUsers = { ...ownUsers, api }

/** The groups of the service: the table `groups` with the key `id`. */
export const groups: typeof ownGroups = { ...ownGroups, api }
