import type { Migrations } from 'resource-api'

export const tables: Migrations = {
  async '0001_lending'({ schema }, { key, reference, text, date }) {
    await schema
      .createTable('authors')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('born', 'integer', column => column.notNull())
      .execute()
    await schema
      .createTable('books')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('isbn', text, column => column.notNull())
      .addColumn('year', 'integer', column => column.notNull())
      .addColumn('author_id', reference, column => column.notNull().references('authors.id'))
      .addColumn('due', date)
      .addColumn('borrower', text)
      .addUniqueConstraint('one_title_per_author', ['title', 'author_id'])
      .execute()
  },
}
