// The table of snippets.

import { boolean, choice, key, text } from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { step } from 'resource-api/migrations'
import { created, owner, table, tables } from 'resource-api/tables'
import { languages } from './highlighting/languages.ts'
import { styles } from './highlighting/styles.ts'
import { snippetMessages } from './messages.ts'

export const snippetTable = table('snippets', {
  columns: {
    id: key(),
    owner: owner('users', { onDelete: 'cascade' }),
    created: created(),
    title: text({ max: 100, blank: true, default: '', label: snippetMessages('snippets.label.title') }),
    code: text({ multiline: true }),
    linenos: boolean({ default: false, label: snippetMessages('snippets.label.linenos') }),
    language: choice(languages.keys(), { default: 'python', label: snippetMessages('snippets.label.language') }),
    style: choice(styles.keys(), { default: 'friendly', label: snippetMessages('snippets.label.style') }),
    highlighted: text({ multiline: true }),
  },
  indexes: [
    { name: 'snippets_in_order', columns: ['created', 'id'] },
    { name: 'snippets_by_owner', columns: ['owner', 'id'] },
  ],
  defaults: { created: null, linenos: false },
})

const createTable = step({
  uses: ['accounts/0001_accounts'],
  change: [
    {
      createTable: 'snippets',
      columns: {
        id: 'key',
        owner_id: { type: 'integer', references: { table: 'users', onDelete: 'cascade' } },
        created: 'dateTime',
        title: 'text',
        code: 'text',
        linenos: { type: 'boolean', default: false },
        language: 'text',
        style: 'text',
        highlighted: 'text',
      },
      indexes: {
        snippets_in_order: { columns: ['created', 'id'] },
        snippets_by_owner: { columns: ['owner_id', 'id'] },
      },
    },
  ],
  formerNames: ['0002_snippets'],
  // It was a function.
  formerDigests: ['1-IxGyrA-j_XW-50G7gcMqQFwNEk3rB2zsBrC9xdsGX10'],
})

export const snippetTables = tables({
  owner: 'snippets',
  tables: [snippetTable],
  uses: [accountTables],
  migrations: { '0001_snippets': createTable },
})
