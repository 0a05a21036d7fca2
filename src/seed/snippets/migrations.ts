import { sql } from 'kysely'
import type { MigrationStep, Migrations } from 'resource-api'

const createSnippets: MigrationStep = async (kysely, { key, reference, boolean, text, dateTime }) => {
  await kysely.schema
    .createTable('snippets')
    .addColumn('id', key)
    .addColumn('owner_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('created', dateTime, column => column.notNull())
    .addColumn('title', text, column => column.notNull())
    .addColumn('code', text, column => column.notNull())
    .addColumn('linenos', boolean, column => column.notNull().defaultTo(sql`false`))
    .addColumn('language', text, column => column.notNull())
    .addColumn('style', text, column => column.notNull())
    .addColumn('highlighted', text, column => column.notNull())
    .execute()
  await kysely.schema.createIndex('snippets_in_order').on('snippets').columns(['created', 'id']).execute()
  await kysely.schema.createIndex('snippets_by_owner').on('snippets').columns(['owner_id', 'id']).execute()
}

/** Creates the table of snippets. */
export const snippetMigrations: Migrations = {
  '0001_snippets': Object.assign(createSnippets, { formerNames: ['0002_snippets'] }),
}
