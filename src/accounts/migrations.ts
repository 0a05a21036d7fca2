import { sql } from 'kysely'
import type { Migrations } from '../framework/database/migrate.ts'

/** The tables of users, groups and tokens. */
export const accountMigrations: Migrations = {
  async '0001_accounts'(kysely, { key, reference, boolean, text, dateTime }) {
    await kysely.schema
      .createTable('users')
      .addColumn('id', key)
      .addColumn('username', text, column => column.notNull().unique())
      .addColumn('email', text, column => column.notNull().defaultTo(''))
      .addColumn('password', text)
      .addColumn('is_active', boolean, column => column.notNull().defaultTo(sql`true`))
      .addColumn('is_staff', boolean, column => column.notNull().defaultTo(sql`false`))
      .addColumn('is_superuser', boolean, column => column.notNull().defaultTo(sql`false`))
      .addColumn('date_joined', dateTime, column => column.notNull())
      .execute()
    await kysely.schema.createIndex('users_by_join').on('users').columns(['date_joined', 'id']).execute()

    await kysely.schema
      .createTable('groups')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull().unique())
      .execute()

    await kysely.schema
      .createTable('user_groups')
      .addColumn('user_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('group_id', reference, column => column.notNull().references('groups.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('user_groups_key', ['user_id', 'group_id'])
      .execute()
    await kysely.schema.createIndex('user_groups_by_group').on('user_groups').column('group_id').execute()

    await kysely.schema
      .createTable('tokens')
      .addColumn('user_id', reference, column => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('digest', text, column => column.notNull().unique())
      .addColumn('sealed', text, column => column.notNull())
      .addColumn('created', dateTime, column => column.notNull())
      .execute()
  },
}
