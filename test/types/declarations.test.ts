// An application may write declaration files of its resources: the compiler then has to name the types of declarations by public names.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createProject } from './project.ts'

const program = `
import {
  authenticated, boolean, choice, computed, createApi, file, folder, integer, key, list, listView, nested, object, objectView,
  openDatabase, related, resource, text, view, writeOnly,
} from 'resource-api'
import { createClient } from 'resource-api/client'
// The names are those of this entry point.
export type { FieldLink } from 'resource-api/extend'
export const things = resource('things', { table: 'things', fields: { id: key(), title: text({ unique: 'Taken.' }) } })
export const fields = {
  id: key(),
  name: text({ unique: 'Taken.', column: 'label' }),
  note: text({ nullable: true, visible: ({ user }) => user.isStaff }),
  secret: writeOnly(text(), { stored: false }),
  parent: related('parts', { nullable: true }),
  children: related('parts', { many: { reverse: 'parent_id' } }),
  thing: related(things, { by: 'title', fixed: true, nullable: true }),
  hint: text({ required: false }),
  kind: choice(['a', 'b'], { default: 'a' }),
  file: file({ store: folder('data') }),
  sizes: list({ of: integer(), nullable: true }),
  form: object({ fields: { width: integer({ nullable: true }) } }),
  length: computed({ columns: ['label'], value: ({ label }) => String(label).length }),
  title: text({ source: 'thing.title' }),
  all: nested({ of: things, many: { reverse: 'part_id' } }),
  written: nested({ of: things, many: { reverse: 'part_id' }, writable: true, visible: ({ user }) => user.isStaff }),
  one: nested({ of: things, column: 'one_id', writable: true, nullable: true }),
  named: nested({ of: 'things', many: { reverse: 'part_id' }, writable: true }),
}
export const parts = resource('parts', {
  table: 'parts',
  fields,
  lookup: 'name',
  filters: { 'thing.title': true },
  permissions: [authenticated],
  lists: { own: { rows: ({ row }) => row['owner_id']! } },
  objectViews: ({ objectView }) => ({
    show: objectView({
      columns: ['label', 'other'],
      response: { name: text() },
      handlers: { GET: ({ object }) => ({ name: object.label }) },
    }),
  }),
  listViews: { count: listView({ query: { least: integer() }, handlers: { GET: () => ({ status: 200 }) } }) },
})
export const shared = objectView({ columns: ['name'], handlers: { GET: ({ object }) => ({ status: 200, body: { name: object.name } }) } })
export const plain = view({ name: 'Plain', response: { ok: boolean() }, handlers: { GET: () => ({ ok: true }) } })
export const api = createApi({ database: openDatabase('sqlite::memory:'), resources: [things, parts], views: { '/plain/': plain } })
export const client = createClient<typeof api>({ baseUrl: 'http://localhost/' })
`

test('the declaration files of an application name only public types', async context => {
  const { compile } = await createProject(new Map([['program.ts', program]]), context)
  const errors = (await compile('--declaration')).split(/^(?=\S)/m).filter(error => error.startsWith('program.ts'))
  assert.deepEqual(errors, [])
})
