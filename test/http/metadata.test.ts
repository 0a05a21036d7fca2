// OPTIONS describes a view and the fields that the caller may write.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import {
  and,
  authenticated,
  authenticatedOrReadOnly,
  boolean,
  choice,
  dateTime,
  email,
  hyperlinkedIdentity,
  integer,
  key,
  not,
  ownerOrReadOnly,
  type Permission,
  readOnly,
  related,
  resource,
  staff,
  text,
  writeOnly,
} from 'resource-api'
import { authors, bookRow, tags } from '../support/library.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'

const books = resource('books', {
  table: 'books',
  description: 'Books to read.',
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    title: text({ min: 1, max: 100, label: 'Name', help: 'As on the cover.' }),
    pages: integer({ min: 1, max: 5000, default: 1 }),
    published: dateTime({ nullable: true }),
    in_print: boolean({ default: true }),
    genre: choice(['novel', 'poetry', '<b>'], { default: 'novel' }),
    contact: email({ max: 80, blank: true, default: '' }),
    secret: writeOnly(text({ nullable: true })),
    shelf: readOnly(text()),
    author: related(authors, { nullable: true, form: 'url' }),
    tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
  },
  hookColumns: ['subtitle'],
  prepare: () => ({ subtitle: '' }),
})

const describedFields = {
  url: { type: 'url', required: false, read_only: true, label: 'Url' },
  id: { type: 'integer', required: false, read_only: true, label: 'Id' },
  title: {
    type: 'string',
    required: true,
    read_only: false,
    label: 'Name',
    help_text: 'As on the cover.',
    max_length: 100,
    min_length: 1,
  },
  pages: { type: 'integer', required: false, read_only: false, label: 'Pages', min_value: 1, max_value: 5000 },
  published: { type: 'datetime', required: false, read_only: false, label: 'Published' },
  in_print: { type: 'boolean', required: false, read_only: false, label: 'In print' },
  genre: {
    type: 'choice',
    required: false,
    read_only: false,
    label: 'Genre',
    choices: ['novel', 'poetry', '<b>'].map(value => ({ value, display_name: value })),
  },
  contact: { type: 'email', required: false, read_only: false, label: 'Contact', max_length: 80 },
  secret: { type: 'string', required: false, read_only: false, label: 'Secret' },
  shelf: { type: 'string', required: false, read_only: true, label: 'Shelf' },
  author: { type: 'url', required: false, read_only: false, label: 'Author' },
  tags: { type: 'list', required: false, read_only: false, label: 'Tags' },
}

/** A row filter that needs an authenticated caller: it must not run for an anonymous one. */
const ownedRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
    values({ user }) {
      if (user.id === null) throw new Error('an anonymous caller owns no rows')
      return { caller: user.id }
    },
  },
}

const notes = (name: string, permissions: readonly Permission[]) =>
  resource(name, {
    table: 'books',
    permissions,
    fields: { id: key(), title: text(), pages: integer() },
    hookColumns: ['subtitle', 'contact', 'genre', 'in_print', 'owner_id'],
    prepare: () => ({ subtitle: '', contact: '', genre: '', in_print: true }),
    perAction: {
      create: { takes: ['title', 'pages'] },
      update: { takes: ['title'], permissions: [...permissions, authenticated, ownedRows] },
    },
  })

const readable = resource('readable', { table: 'books', actions: ['list', 'retrieve'], fields: { id: key() } })

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [
      books,
      readable,
      authors,
      tags,
      notes('open', []),
      notes('staff', [staff]),
      notes('anonymous', [not(authenticated)]),
      notes('combined', [and(authenticated, ownerOrReadOnly('owner_id'))]),
    ],
  }),
  api => {
    let [annBookId, bobBookId]: number[] = []
    type Caller = keyof typeof people | undefined
    const options = (url: string, caller?: Caller) => api().client.request('OPTIONS', url, caller && asUser(caller))
    const actions = async (url: string, caller?: Caller) => (await options(url, caller)).json().actions

    before(async () => {
      const rows = [people.ann, people.bob].map(({ id }) => ({ ...bookRow, owner_id: id }))
      ;[annBookId, bobBookId] = (await api().insert('books', rows)) as [number, number]
    })

    test('describes the name, the description, the renderers and the parsers of a view', async () => {
      const list = await options('/books/')
      assert.deepEqual([list.status, list.headers.allow], [200, 'GET, POST, HEAD, OPTIONS'])
      assert.deepEqual(list.json(), {
        name: 'Book List',
        description: 'Books to read.',
        renders: ['application/json'],
        parses: ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data'],
      })
      assert.equal((await options(`/books/${annBookId}/`)).json().name, 'Book Instance')
      assert.deepEqual(Object.keys((await options('/')).json()), ['name', 'description', 'renders', 'parses'])
    })

    test('describes each field', async () => {
      assert.deepEqual(await actions('/books/', 'ann'), { POST: describedFields })
      assert.deepEqual(await actions(`/books/${annBookId}/`, 'ann'), { PUT: describedFields })
    })

    // The callers who may create, who may change Ann's book, and who may change Bob's book.
    const table: Record<string, readonly [create: string, changeAnnBook: string, changeBobBook: string]> = {
      books: ['– ann bob sue', '– ann – –', '– – bob –'],
      open: ['anonymous ann bob sue', '– ann – –', '– – bob –'],
      combined: ['– ann bob sue', '– ann – –', '– – bob –'],
      staff: ['– – – sue', '– – – –', '– – – –'],
      anonymous: ['anonymous – – –', '– – – –', '– – – –'],
      readable: ['– – – –', '– – – –', '– – – –'],
    }

    for (const [name, expected] of Object.entries(table)) {
      test(`describes only what the caller may write: ${name}`, async () => {
        const callers = [undefined, 'ann', 'bob', 'sue'] as const
        const listAllowedCallers = async (url: string, method: string) => {
          const actionsPerCaller = await Promise.all(callers.map(caller => actions(url, caller)))
          for (const found of actionsPerCaller) assert.deepEqual(Object.keys(found ?? { [method]: 0 }), [method])
          return actionsPerCaller.map((found, index) => (found ? (callers[index] ?? 'anonymous') : '–')).join(' ')
        }
        assert.deepEqual(
          [
            await listAllowedCallers(`/${name}/`, 'POST'),
            await listAllowedCallers(`/${name}/${annBookId}/`, 'PUT'),
            await listAllowedCallers(`/${name}/${bobBookId}/`, 'PUT'),
          ],
          expected,
        )
      })
    }

    test('describes the fields of each action', async () => {
      assert.deepEqual(Object.keys((await actions('/open/', 'ann')).POST), ['title', 'pages'])
      assert.deepEqual(Object.keys((await actions(`/open/${annBookId}/`, 'ann')).PUT), ['title'])
    })

    test('does not describe an object that does not exist, and checks the view’s permissions first', async () => {
      for (const id of ['999999', '0', 'x', '9'.repeat(30)]) {
        const response = await options(`/books/${id}/`, 'ann')
        assert.deepEqual([response.status, response.json().actions], [200, undefined], id)
      }
      for (const [caller, status] of [
        [undefined, 401],
        ['ann', 403],
        ['sue', 200],
      ] as const)
        assert.equal((await options('/staff/', caller)).status, status)
    })
  },
)
