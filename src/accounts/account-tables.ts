// The tables of accounts, for the tables of applications that refer to them.

import { boolean, dateTime, email, key, reference, table, tables, text } from '#core'

const users = table('users', {
  managed: false,
  columns: {
    id: key(),
    username: text({ max: 150, unique: 'A user with that username already exists.' }),
    email: email({ blank: true }),
    is_active: boolean(),
    is_staff: boolean(),
    is_superuser: boolean(),
    date_joined: dateTime(),
  },
})

const groups = table('groups', {
  managed: false,
  columns: { id: key(), name: text({ max: 150, unique: 'group with this name already exists.' }) },
})

const userGroups = table('user_groups', {
  managed: false,
  key: ['user', 'group'],
  columns: {
    user: reference('users', { onDelete: 'cascade' }),
    group: reference('groups', { onDelete: 'cascade' }),
  },
})

/**
 * The users and groups, as far as applications use them. The accounts make these tables themselves.
 *
 * @example
 * const schema = tables({ owner: 'blog', uses: [accountTables], tables: [table('notes', { columns: { id: key(), author: owner('users') } })] })
 */
export const accountTables = tables({ owner: 'accounts', tables: [users, groups, userGroups], migrations: {} })
