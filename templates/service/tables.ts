// The tables of this service. After a change, `npx resource-api migrations make` writes the step that makes it.

import { key, text } from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { created, owner, table, tables } from 'resource-api/tables'

export const noteTable = table('notes', {
  columns: {
    id: key(),
    title: text({ max: 100 }),
    content: text({ multiline: true, blank: true, default: '' }),
    owner: owner('users', { onDelete: 'cascade' }),
    created: created(),
  },
  indexes: [['owner'], ['created', 'id'], ['title', 'id']],
})

const migrations = new URL('./migrations/', import.meta.url)
export const schema = tables({ owner: 'notebook', tables: [noteTable], uses: [accountTables], migrations })
