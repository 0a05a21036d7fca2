// A profile whose list has a value that depends on the caller: which snippets the caller watches.

import { sql } from 'kysely'
import {
  authenticated,
  boolean,
  computed,
  dateTime,
  key,
  type Migrations,
  pageNumber,
  readOnly,
  resource,
  text,
} from 'resource-api'
import { type Profile, profile } from 'resource-api/service'

const titles = resource('titles', {
  table: 'snippets',
  actions: ['list'],
  permissions: [authenticated],
  // There is an index on this column, so that deep pages need not read the code of the rows before them.
  ordering: ['created'],
  fields: {
    id: key(),
    title: text(),
    created: readOnly(dateTime()),
    watched: computed(
      boolean(),
      ({ row, caller }) =>
        sql`exists (select 1 from watchers where watchers.snippet_id = ${row.id} and watchers.user_id = ${caller.id})`,
    ),
  },
  perAction: { list: { shows: ['id', 'title', 'watched'] } },
})

const migrations: Migrations = {
  async '0001_watchers'({ schema }, { reference }) {
    await schema
      .createTable('watchers')
      .addColumn('snippet_id', reference, column => column.notNull())
      .addColumn('user_id', reference, column => column.notNull())
      .addPrimaryKeyConstraint('watchers_key', ['snippet_id', 'user_id'])
      .execute()
  },
}

/** `GET /watching/titles/`: the titles of the snippets, and whether the caller watches each. */
export const watching = (): Profile =>
  profile('watching', {
    description: 'Which snippets the caller watches.',
    mount: '/watching/',
    migrations,
    resources: [titles],
    pagination: pageNumber({ pageSize: 10 }),
  })
