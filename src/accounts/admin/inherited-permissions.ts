import { sql } from 'kysely'
import { choice, computed, list } from '#core'
import { accountMessages } from '../messages.ts'
import type { GrantablePermissions } from './permission-grid.ts'

/**
 * The permissions that a user has without being granted them: those of the user's groups, or all for a superuser. They are part of the
 * statement that reads the user.
 */
export const inheritedPermissions = ({ choices, grid }: GrantablePermissions) =>
  computed(
    list({
      of: choice(choices),
      grid,
      label: accountMessages('label.inherited_permissions'),
    }),
    ({ row, dialect }) => {
      const grantable = dialect.texts(sql.lit(JSON.stringify(choices)))
      const groups = sql`select group_id from user_groups where user_id = ${row.id}`
      return dialect.array(
        sql`select value from (${grantable}) as grantable where ${row.is_superuser} or exists (select 1 from group_permissions where permission = grantable.value and group_id in (${groups})) order by value`,
      )
    },
  )
