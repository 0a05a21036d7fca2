import { step } from 'resource-api/migrations'

export default step({
  change: [
    {
      createTable: 'books',
      columns: { id: 'key', title: 'text', pages: { type: 'integer', nullable: true }, shelf: 'text' },
      indexes: { books_title_unique: { columns: ['title'], unique: true } },
    },
  ],
})
