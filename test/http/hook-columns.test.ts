// Hooks write the columns that `hookColumns` names, and no others: the compiler says so, and at run time the log does.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { integer, key, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const fields = { id: key(), title: text(), pages: integer({ default: 7 }) }
const others = { subtitle: '', genre: '', contact: '', in_print: true }
const hookColumns = ['subtitle', 'genre', 'contact', 'in_print'] as const

test('the compiler refuses a hook that returns a column which hookColumns does not name', () => {
  const options = { table: 'books', fields }
  resource('a', {
    ...options,
    hookColumns: ['genre'],
    prepare: ({ action }) => (action === 'create' ? { genre: '' } : {}),
  })
  resource('a', { ...options, hookColumns: ['genre'], beforeSave: async ({ values }) => void values.pages.toFixed() })
  resource('a', {
    ...options,
    hookColumns: ['genre'],
    async beforeSave({ values }) {
      if (values.pages > 1) return { genre: '' }
      return undefined
    },
  })
  // @ts-expect-error a misspelt option, which is also an error at start
  const misspelt = () => resource('a', { ...options, orderng: ['title'] })
  assert.throws(misspelt, /there is no option "orderng": write "ordering"/)
  // @ts-expect-error hookColumns names no column
  resource('a', { ...options, prepare: () => ({ owner_id: 1 }) })
  // @ts-expect-error one column more
  resource('a', { ...options, hookColumns: ['genre'], prepare: () => ({ genre: '', owner_id: 1 }) })
  // @ts-expect-error one column more, later
  resource('a', { ...options, hookColumns: ['genre'], prepare: async () => ({ genre: '', owner_id: 1 }) })
  // @ts-expect-error one column more in one of the cases
  resource('a', { ...options, hookColumns: ['genre'], prepare: ({ key: id }) => (id ? { owner_id: 1 } : {}) })
  // @ts-expect-error one column more from beforeSave
  resource('a', { ...options, hookColumns: ['genre'], beforeSave: () => ({ genre: '', owner_id: 1 }) })
  resource('a', {
    ...options,
    hookColumns: ['genre'],
    // @ts-expect-error one column more from beforeSave, sometimes
    beforeSave: async ({ values }) => (values.pages > 1 ? { owner_id: 1 } : undefined),
  })
  // @ts-expect-error a column keeps no Date
  resource('a', { ...options, hookColumns: ['genre'], prepare: () => ({ genre: new Date() }) })
})

/** Columns that a hook must not return; the compiler cannot see them here. */
let more: object = {}

const mistakes = [
  [{ owner_id: 1 }, 'the column "owner_id", which "hookColumns" does not name: add it to "hookColumns"'],
  [{ genre: undefined }, 'undefined for the column "genre": return a value or null, or leave the column out'],
] as const

const declare = (hook: 'prepare' | 'beforeSave') =>
  resource(hook.toLowerCase(), { table: 'books', fields, hookColumns, [hook]: () => ({ ...others, ...more }) })

const lines: string[] = []

onEachDatabase(
  () => ({ resources: [declare('prepare'), declare('beforeSave')] }),
  api => {
    beforeEach(() => {
      more = {}
      lines.length = 0
    })

    for (const hook of ['prepare', 'beforeSave'] as const)
      for (const [columns, mistake] of mistakes)
        test(`ERR-EXC-r11: ${hook} that returns ${mistake} is a 500, and the log says it`, async () => {
          const { client } = api()
          const url = `/${hook.toLowerCase()}/`
          const made = await client.post(url, { json: { title: 'A' } })
          assert.equal(made.status, 201)
          const rows = await api().rows('books')
          more = columns
          for (const [method, path] of [
            ['POST', url],
            ['PATCH', `${url}${made.json().id}/`],
          ] as const) {
            lines.length = 0
            const response = await client.request(method, path, { json: { title: 'B' } })
            assert.deepEqual([response.status, response.json()], [500, { detail: 'A server error occurred.' }])
            assert.deepEqual(lines.map(line => JSON.parse(line).err?.message).filter(Boolean), [
              `resource "${hook.toLowerCase()}": ${hook} returned ${mistake}`,
            ])
          }
          assert.deepEqual(await api().rows('books'), rows)
        })
  },
  { log: line => lines.push(line) },
)
