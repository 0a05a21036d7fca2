import { multipleChoice, resource } from '#core'
import { defineAccountEvent } from '../audit/account-events.ts'
import type { Authority } from '../authority.ts'
import { accountMessages } from '../messages.ts'
import { groupTable } from '../tables.ts'
import type { GrantablePermissions } from './permission-grid.ts'

/** Creates the resource of groups; the permissions are those that can be granted. */
export const adminGroups = ({ choices, grid }: GrantablePermissions, authority: Authority) =>
  resource('groups', {
    table: groupTable,
    description: accountMessages('about.groups'),
    pages: { names: { one: accountMessages('name.groups.one'), many: accountMessages('name.groups.many') } },
    auditEvent: defineAccountEvent('account changed'),
    objectName: 'name',
    ordering: ['name'],
    searchFields: ['name'],
    orderingFields: ['name'],
    fields: {
      ...groupTable.pick('id', 'name'),
      permissions: multipleChoice(choices, {
        rows: { table: 'group_permissions', own: 'group_id', other: 'permission' },
        grid,
        default: [],
        label: accountMessages('label.permissions'),
      }),
    },
    async beforeSave({ values, key, user, connection }) {
      const { permissions }: { readonly permissions?: readonly string[] } = values
      if (permissions !== undefined) await authority.checkGroup(user, key, permissions, connection)
    },
    beforeDestroy: ({ key, user, connection }) => authority.checkGroup(user, key, [], connection),
  })
