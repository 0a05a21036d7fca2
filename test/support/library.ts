// The resources of the tests' API: a small library, declared as an application would do it.

import { sql } from 'kysely'
import {
  boolean,
  choice,
  dateTime,
  email,
  hyperlinkedIdentity,
  integer,
  key,
  type Migrations,
  readOnly,
  related,
  resource,
  text,
  writeOnly,
} from 'resource-api'

/** The tables of the library. */
export const libraryMigrations: Migrations = {
  async '0001_library'(kysely, { key, reference, boolean, text, dateTime }) {
    for (const table of ['authors', 'tags']) {
      await kysely.schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull().unique())
        .execute()
    }
    await kysely.schema
      .createTable('books')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('subtitle', text, column => column.notNull())
      .addColumn('summary', text)
      .addColumn('pages', sql`integer`, column => column.notNull())
      .addColumn('isbn', text, column => column.unique())
      .addColumn('published', dateTime)
      .addColumn('in_print', boolean, column => column.notNull())
      .addColumn('genre', text, column => column.notNull())
      .addColumn('contact', text, column => column.notNull())
      .addColumn('secret', text)
      .addColumn('shelf', text, column => column.notNull().defaultTo('A1'))
      .addColumn('author_id', reference, column => column.references('authors.id'))
      .addColumn('translator_id', reference, column => column.references('authors.id'))
      .addColumn('owner_id', sql`integer`)
      .execute()
    for (const [table, other, target] of [
      ['book_tags', 'tag_id', 'tags'],
      ['book_editors', 'author_id', 'authors'],
    ] as const) {
      await kysely.schema
        .createTable(table)
        .addColumn('book_id', reference, column => column.notNull().references('books.id').onDelete('cascade'))
        .addColumn(other, reference, column => column.notNull().references(`${target}.id`).onDelete('cascade'))
        .addPrimaryKeyConstraint(`${table}_key`, ['book_id', other])
        .execute()
    }
  },
}

const isUnique = 'This field must be unique.'

export const authors = resource('authors', {
  table: 'authors',
  ordering: ['name'],
  fields: { url: hyperlinkedIdentity(), name: text({ max: 50, unique: isUnique }) },
})

export const tags = resource('tags', {
  table: 'tags',
  fields: { id: key(), name: text({ max: 20, unique: isUnique }) },
})

/** The fields of a book, one of each type. */
export const bookFields = {
  id: key(),
  title: text({ max: 100 }),
  subtitle: text({ max: 100, blank: true, default: '' }),
  summary: text({ nullable: true, trim: false, multiline: true, blank: true }),
  pages: integer({ min: 1, max: 5000 }),
  isbn: text({ min: 10, max: 13, nullable: true, unique: isUnique }),
  published: dateTime({ nullable: true }),
  in_print: boolean({ default: true }),
  genre: choice(['novel', 'poetry', '__proto__'], { default: 'novel' }),
  contact: email({ max: 80, blank: true, default: '' }),
  secret: writeOnly(text({ nullable: true })),
  shelf: readOnly(text()),
  author: related(authors, { nullable: true, form: 'url' }),
  translator: related(authors, { nullable: true }),
  tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  editors: related(authors, {
    many: { table: 'book_editors', own: 'book_id', other: 'author_id' },
    default: [],
    form: 'url',
  }),
}

export const books = resource('books', { table: 'books', fields: bookFields })

/** The representation of a new book with default values, without its `id`. */
export const plainBook = {
  title: 'Emma',
  subtitle: '',
  summary: null,
  pages: 474,
  isbn: null,
  published: null,
  in_print: true,
  genre: 'novel',
  contact: '',
  shelf: 'A1',
  author: null,
  translator: null,
  tags: [],
  editors: [],
}

/** A row with the NOT NULL columns of a book. */
export const bookRow = { title: 'Emma', subtitle: '', pages: 474, in_print: true, genre: 'novel', contact: '' }
