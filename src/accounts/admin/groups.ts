import { key, multipleChoice, resource } from 'resource-api'
import { defineAccountEvent } from '../audit/account-events.ts'
import type { Authority } from '../authority.ts'
import { groupNameField } from '../fields.ts'
import { permissionGrid } from './permission-grid.ts'

/** Creates the resource of groups; `permissions` are the grantable permissions. */
export const adminGroups = (permissions: readonly string[], authority: Authority) =>
  resource('groups', {
    table: 'groups',
    description: 'Groups of users, and the permissions of their members.',
    auditEvent: defineAccountEvent('account changed'),
    objectName: 'name',
    ordering: ['name'],
    searchFields: ['name'],
    orderingFields: ['name'],
    fields: {
      id: key(),
      name: groupNameField,
      permissions: multipleChoice(permissions, {
        rows: { table: 'group_permissions', own: 'group_id', other: 'permission' },
        grid: permissionGrid,
        default: [],
      }),
    },
    async beforeSave({ values, key, user, connection }) {
      const { permissions }: { readonly permissions?: readonly string[] } = values
      if (permissions !== undefined) await authority.checkGroup(user, key, permissions, connection)
    },
    beforeDestroy: ({ key, user, connection }) => authority.checkGroup(user, key, [], connection),
  })
