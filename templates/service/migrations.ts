// The tables of this service. Each step runs once in each database; add a step for each change.

import type { Migrations } from 'resource-api'

export const migrations: Migrations = {
  async '0001_notes'(kysely, { key, reference, text, dateTime }) {
    await kysely.schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('content', text, column => column.notNull())
      .addColumn('owner_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addColumn('created', dateTime, column => column.notNull())
      .execute()
    await kysely.schema.createIndex('notes_owner_id').on('notes').column('owner_id').execute()
    await kysely.schema.createIndex('notes_created').on('notes').columns(['created', 'id']).execute()
    await kysely.schema.createIndex('notes_title').on('notes').columns(['title', 'id']).execute()
  },
}
