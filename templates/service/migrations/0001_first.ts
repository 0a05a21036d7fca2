import { step } from 'resource-api/migrations'

export default step({
  uses: ['accounts/0001_accounts'],
  change: [
    {
      createTable: 'notes',
      columns: {
        id: 'key',
        title: 'text',
        content: 'text',
        owner_id: { type: 'integer', references: { table: 'users', onDelete: 'cascade' } },
        created: { type: 'dateTime', default: { now: true } },
      },
      indexes: {
        notes_owner_id: { columns: ['owner_id'] },
        notes_created_id: { columns: ['created', 'id'] },
        notes_title_id: { columns: ['title', 'id'] },
      },
    },
  ],
})
