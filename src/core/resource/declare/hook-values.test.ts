// What the compiler says about the columns that hooks return, and about names that do not fit.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolean,
  choice,
  dateTime,
  decimal,
  forTypes,
  type Identity,
  integer,
  json,
  key,
  nested,
  readOnly,
  related,
  resource,
  slug,
  text,
  uuidKey,
  writeOnly,
} from '../../../index.ts'

interface Tables {
  readonly books: { id: number; title: string; owner_id: number | null; printed: Date }
}

interface Member extends Identity {
  readonly id: number
}

const users = resource('users', { table: 'users', fields: { id: key() } })
const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text(), code: slug({ unique: 'Taken.' }) },
})
const fields = {
  id: key(),
  title: text(),
  created: readOnly(dateTime()),
  state: readOnly(choice(['open', 'paid'])),
  extra: readOnly(json<{ readonly a: number }>()),
  price: readOnly(decimal({ maxDigits: 4, decimalPlaces: 2 })),
  isOpen: readOnly(boolean()),
}

test('with the tables, a value of a wrong type is a compile error', () => {
  const typed = forTypes<Member, Tables>()
  const options = { table: 'books', fields: { title: text() }, hookColumns: ['owner_id', 'printed'] } as const
  const right = typed.resource('books', {
    ...options,
    prepare: ({ user, now }) => ({ owner_id: user.id, printed: now }),
  })
  const wrong = [
    // @ts-expect-error the column is a number
    () => typed.resource('books', { ...options, prepare: () => ({ owner_id: 'ann' }) }),
    // @ts-expect-error the column is a number, also in a promise
    () => typed.resource('books', { ...options, beforeSave: async () => ({ owner_id: 'ann' }) }),
    () =>
      forTypes<Identity, Tables>().resource('books', {
        ...options,
        // @ts-expect-error the id of an undeclared caller may be a text
        prepare: ({ user }) => ({ owner_id: user.id }),
      }),
  ]
  assert.ok(right && wrong)
})

test('without the tables, columns of declared fields have the types of the fields', () => {
  const right = resource('books', {
    table: 'books',
    fields: { ...fields, owner: readOnly(related(users, { column: 'owner_id' })) },
    hookColumns: ['created', 'state', 'extra', 'price', 'isOpen', 'owner_id', 'hidden'],
    prepare: ({ now, user }) => ({
      created: now,
      state: 'open',
      extra: '{"a":1}',
      price: '1.00',
      isOpen: true,
      owner_id: user.id,
      hidden: 3,
    }),
  })
  const wrong = [
    // @ts-expect-error a date-time is a text
    () => resource('a', { table: 'a', fields, hookColumns: ['created'], prepare: () => ({ created: 5 }) }),
    // @ts-expect-error there is no such choice
    () => resource('a', { table: 'a', fields, hookColumns: ['state'], prepare: ({ now }) => ({ state: 'sold', now }) }),
    () =>
      resource('a', {
        table: 'a',
        fields: { ...fields, owner: readOnly(related(users, { column: 'owned_by' })) },
        hookColumns: ['owned_by'],
        // @ts-expect-error the key of a user is a number
        prepare: () => ({ owned_by: 'ann' }),
      }),
  ]
  assert.ok(right && wrong)
})

test('a hook cannot set a field that bodies write', () => {
  const wrong = [
    // @ts-expect-error bodies write it
    () => resource('a', { table: 'a', fields, prepare: () => ({ title: 'Emma' }) }),
    // @ts-expect-error bodies write it
    () => resource('a', { table: 'a', fields, hookColumns: ['title'], prepare: () => ({ title: 'Emma' }) }),
    // @ts-expect-error no field stores it, and "hookColumns" does not name it
    () => resource('a', { table: 'a', fields, prepare: () => ({ owner_id: 1 }) }),
  ]
  assert.ok(wrong)
})

test('a value that is not stored leaves its name free for a column', () => {
  assert.ok(
    resource('accounts', {
      table: 'accounts',
      fields: { id: key(), password: writeOnly(text(), { stored: false }) },
      hookColumns: ['password'],
      prepare: ({ values }) => ({ password: values.password ?? null }),
    }),
  )
})

test('names of fields of related resources are checked', () => {
  const author = related(authors)
  const right = resource('books', {
    table: 'books',
    lookup: 'code',
    fields: {
      code: slug({ unique: 'Taken.' }),
      author,
      name: text({ source: 'author.name' }),
      byCode: readOnly(related(authors, { column: 'author_id', by: 'code' })),
      writer: nested({ of: authors, column: 'author_id', fields: ['name'] }),
    },
  })
  const wrong = [
    // @ts-expect-error the field is not unique
    () => resource('a', { table: 'a', lookup: 'title', fields: { title: text() } }),
    // @ts-expect-error the field is not unique
    () => related(authors, { by: 'name' }),
    // @ts-expect-error there is no such field
    () => related(authors, { shows: ['id', 'nme'] }),
    // @ts-expect-error there is no such field
    () => nested({ of: authors, column: 'author_id', fields: ['nme'] }),
    // @ts-expect-error there is no such field
    () => resource('a', { table: 'a', fields: { author, name: text({ source: 'author.nme' }) } }),
    // @ts-expect-error there is no such field
    () => resource('a', { table: 'a', fields: { author }, filters: { 'author.nme': true } }),
  ]
  assert.ok(right && wrong)
})

test('a reference of a resource to itself has the type of its own key', () => {
  const categories = resource('categories', {
    table: 'categories',
    key: uuidKey(),
    fields: { id: key(), parent: related('categories', { nullable: true }), size: integer() },
    validate({ values }) {
      const parent: string | null = values.parent
      assert.ok(parent !== '')
    },
  })
  assert.ok(categories)
})
