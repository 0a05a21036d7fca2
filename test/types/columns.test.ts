// What the compiler knows about columns: in the SQL of resources, in views and in permissions. The right programs also compile under
// the options of `@tsconfig/strictest`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from './project.ts'

const preamble = `
import { sql } from 'kysely'
import {
  authenticated, boolean, choice, createApi, dateTime, forTypes, type Identity, integer, key, listView, objectView,
  ownerOrReadOnly, type Permission, readOnly, related, resource, text, uuidKey, view,
} from 'resource-api'
interface Tables {
  books: { id: number; title: string; owner_id: number | null; state: string; printed: Date }
  users: { id: number; name: string }
}
interface Member extends Identity {
  readonly isAuthenticated: true
  readonly id: number
}
export const typed = forTypes<Member, Tables>()
const fields = {
  id: key(),
  title: text(),
  state: choice(['open', 'gone']),
  created: readOnly(dateTime()),
  author: related('users'),
}
`

const right = {
  'the SQL of a resource names the columns of its tables as properties': `
typed.resource('books', {
  table: 'books',
  fields: { id: key(), isMine: typed.computed(boolean(), ({ row, caller }) => sql\`\${row.owner_id} = \${caller.id}\`) },
  filters: { late: typed.filter(boolean(), ({ row, value }) => sql\`(\${row.printed} < 0) = \${value}\`) },
  permissions: [typed.rowFilter(({ row, caller }) => sql\`\${row.owner_id} = \${caller.id}\`)],
  lists: { mine: { rows: ({ row, caller }) => sql\`\${row.owner_id} = \${caller.id}\` } },
})`,
  'without tables, the SQL of a list names the columns of fields and hooks as properties': `
resource('books', {
  table: 'books',
  fields,
  hookColumns: ['owner_id'],
  lists: { mine: { rows: ({ row, caller }) => sql\`\${row.owner_id} = \${caller.id} or \${row.author_id} = 1 or \${row['other']}\` } },
})`,
  'the object of a view has the types of fields and tables': `
typed.resource('books', {
  table: 'books',
  fields: { id: key(), title: text() },
  objectViews: ({ objectView }) => ({
    show: objectView({
      columns: ['title', 'owner_id', 'printed'],
      handlers: {
        GET: ({ object, user }) => ({
          status: 200,
          body: [object.title.trim(), object.owner_id?.toFixed(), object.printed.slice(1), object.owner_id === user.id],
        }),
      },
    }),
  }),
})`,
  'without tables, the object of a view has the types of fields': `
resource('books', {
  table: 'books',
  fields,
  objectViews: ({ objectView }) => ({
    show: objectView({
      columns: ['title', 'state', 'created', 'owner_id'],
      response: { title: text(), isOpen: boolean(), year: text(), isOwn: boolean() },
      handlers: {
        GET: ({ object, user }) => ({
          title: object.title.trim(),
          isOpen: object.state === 'open',
          year: object.created.slice(0, 4),
          isOwn: user.id === object.owner_id,
        }),
      },
    }),
  }),
})`,
  'a permission without named columns fits tables': `
const staffOnly: Permission = { allows: ({ user }) => user.isStaff }
const owner: Permission = { columns: ['owner_id'], allowsObject: ({ user }, object) => user.id === object['owner_id'] }
typed.resource('books', { table: 'books', fields: { id: key() }, permissions: [staffOnly, owner, ownerOrReadOnly('owner_id')] })`,
  'the id of the caller is the key of a singleton': `
resource('me', { table: 'users', fields: { id: key() }, singleton: ({ caller }) => caller.id })
resource('me', { table: 'users', key: uuidKey(), fields: { id: key() }, singleton: ({ caller }) => caller.id })
typed.resource('me', { table: 'users', fields: { id: key() }, singleton: async ({ caller }) => caller.id })`,
  'a plain view has the database with its tables': `
typed.view({
  name: 'Titles',
  handlers: {
    GET: async ({ database }) => ({ status: 200, body: await database.kysely.selectFrom('books').select('title').execute() }),
  },
})`,
  'a method of a list knows its body': `
resource('books', {
  table: 'books',
  fields,
  actions: ['list'],
  listMethods: listView({ body: { count: integer() }, handlers: { POST: ({ body }) => ({ status: 200, body: body.count.toFixed() }) } }),
})`,
}

const wrong = {
  'the SQL of a list names a column that its table does not have': {
    code: `typed.resource('books', { table: 'books', fields: { id: key() }, lists: { a: { rows: ({ row }) => sql\`\${row.titel}\` } } })`,
    message: "Did you mean 'title'?",
  },
  'the SQL of a field names a column that no table has': {
    code: `typed.computed(boolean(), ({ row }) => sql\`\${row.titel}\`)`,
    message: "Did you mean 'title'?",
  },
  'a view shows a column that no field stores': {
    code: `
resource('books', {
  table: 'books',
  fields,
  objectViews: ({ objectView }) => ({
    show: objectView({ columns: ['stat'], response: { state: text() }, handlers: { GET: ({ object }) => ({ state: object.stat }) } }),
  }),
})`,
    message: `Type 'UnknownColumn<"stat">' is not assignable to type 'string'.`,
  },
  'a permission names a column that the table does not have': {
    code: `typed.resource('books', { table: 'books', fields: { id: key() }, permissions: [ownerOrReadOnly('owner')] })`,
    message: `Type '"owner"' is not assignable to type 'ColumnName<Tables, "books">'.`,
  },
  'a view for any resource changes its object to a number': {
    code: `objectView({ response: 'representation', handlers: { POST: ({ update }) => update(5) } })`,
    message: "Argument of type 'number' is not assignable to parameter of type 'Readonly<Record<string, unknown>>'.",
  },
  'a singleton returns a key of another type': {
    code: `resource('me', { table: 'users', fields: { id: key() }, singleton: () => 'ann' })`,
    message:
      "Type '() => string' is not assignable to type '{ readonly 'the type of the key that it returns': number | null | undefined; }'.",
  },
  'a singleton returns the id of declared callers, which is no such key': {
    code: `typed.resource('me', { table: 'users', key: uuidKey(), fields: { id: key() }, singleton: ({ caller }) => caller.id })`,
    message:
      "is not assignable to type '{ readonly 'the type of the key that it returns': string | null | undefined; }'.",
  },
}

test('the compiler knows columns', async context => {
  const files = [
    ...Object.values(right).map((code, index) => [`right${index}.ts`, preamble + code] as const),
    ...Object.values(wrong).map(({ code }, index) => [`wrong${index}.ts`, preamble + code] as const),
  ]
  const { compile } = await createProject(new Map(files), context)
  const errors = (await compile('--noPropertyAccessFromIndexSignature')).split(/^(?=\S)/m)
  const find = (file: string) => errors.filter(error => error.startsWith(file))
  for (const [index, title] of Object.keys(right).entries())
    await context.test(title, () => assert.deepEqual(find(`right${index}.ts`), []))
  for (const [index, [title, { message }]] of Object.entries(wrong).entries())
    await context.test(`an error names the mistake: ${title}`, () => {
      const [error = '', ...others] = find(`wrong${index}.ts`)
      assert.deepEqual(others, [])
      assert.ok(error.includes(message), error)
    })
})
