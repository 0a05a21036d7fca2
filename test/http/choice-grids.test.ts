// Choices that pages show as a table: checkboxes in forms, and words for readers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  choice,
  defineMessages,
  german,
  jsonRenderer,
  key,
  list,
  type Migrations,
  multipleChoice,
  type Permission,
  resource,
  text,
} from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const messages = defineMessages({ see: 'see', make: 'make' })
const rights = [
  'order-lines.see',
  'order-lines.make',
  'books.make',
  'reports',
  'a.b.see',
  '.see',
  'books.burn',
] as const
const rows = { table: 'role_rights', own: 'role_id', other: 'name' }
const grid = { columns: { see: messages('see'), make: messages('make') } }
const staffChange: Permission = { allows: ({ method, user }) => method === 'GET' || Object(user).isStaff === true }

const roles = resource('roles', {
  table: 'roles',
  permissions: [staffChange],
  requireIfMatch: true,
  fields: {
    id: key(),
    name: text(),
    rights: multipleChoice([...rights.map(right => [right, right === 'reports' ? 'Read <reports>' : right] as const)], {
      rows,
      grid,
      help: 'What members may do.',
      default: [],
    }),
    flags: list({ of: choice(['a.see', 'a.make', 'b.see']), grid, default: [] }),
  },
})

const migrations: Migrations = {
  async '0001_roles'({ schema }, { key, text, json, reference }) {
    await schema
      .createTable('roles')
      .addColumn('id', key)
      .addColumn('name', text, column => column.notNull())
      .addColumn('flags', json, column => column.notNull().defaultTo('[]'))
      .execute()
    await schema
      .createTable('role_rights')
      .addColumn('role_id', reference, column => column.notNull().references('roles.id').onDelete('cascade'))
      .addColumn('name', text, column => column.notNull())
      .addPrimaryKeyConstraint('role_rights_key', ['role_id', 'name'])
      .execute()
  },
}

const translated = { ...german, see: 'sehen', make: 'anlegen' }

onEachDatabase(
  () => ({
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    catalogues: [messages],
    languages: { de: translated },
    resources: [roles],
  }),
  api => {
    const accept = 'text/html'
    const insert = async (...selected: readonly string[]) => {
      const [id] = await api().insert('roles', [{ name: 'Clerk' }])
      await api().database.transaction(async ({ kysely }) => {
        for (const name of selected)
          await sql`insert into role_rights (role_id, name) values (${id}, ${name})`.execute(kysely)
      })
      return `/roles/${id}/`
    }
    const open = async (path: string, as: 'ann' | 'sue', language = 'en') => {
      const headers = { accept, 'accept-language': language, ...asUser(as).headers }
      return toReadableText((await api().client.get(path, { headers })).text)
    }
    const send = async (path: string, selected: readonly string[], match = '*') => {
      const headers = { accept, host: 'localhost', origin: 'http://localhost', ...asUser('sue').headers }
      const form = [['_shown', 'rights'], ...selected.map(value => ['rights', value] as const)] as const
      return api().client.post(`${path}?_method=PATCH&_match=${match}`, { form, headers })
    }
    const sendFlags = async (path: string, ...flags: readonly string[]) => {
      const headers = { accept, host: 'localhost', origin: 'http://localhost', ...asUser('sue').headers }
      const form = [['_shown', 'flags'], ...flags.map(value => ['flags', value] as const)] as const
      return (await api().client.post(`${path}?_method=PATCH&_match=*`, { form, headers })).status
    }
    const readRights = async (path: string) => (await api().client.get(path, asUser('ann'))).json().rights
    const findGrid = (page: string) => /<fieldset class="field choice-grid".*?<\/fieldset>/s.exec(page)?.[0] ?? ''
    const listBoxes = (html: string) =>
      [
        ...html.matchAll(
          /<input type="checkbox" id="([^"]*)" name="rights" value="([^"]*)" ?(?:aria-label="([^"]*)")? *(checked)? *(aria-invalid)?/g,
        ),
      ].map(([, , value, label = '', checked, invalid]) => [value, label, checked !== undefined, invalid !== undefined])
    const listChecked = (html: string) => listBoxes(html).flatMap(([value, , checked]) => (checked ? [value] : []))

    test('SVC-7: choices of rows and columns are checkboxes of a table; the others are below it', async () => {
      const shown = findGrid(await open(await insert('books.make', 'reports'), 'sue'))
      assert.match(
        shown,
        /id="patch-rights" data-field="rights" .*aria-describedby="patch-rights-help patch-rights-errors"><legend>Rights</,
      )
      assert.match(shown, /<th scope="col">See<\/th><th scope="col">Make<\/th>/)
      assert.deepEqual(
        [...shown.matchAll(/<th scope="row">([^<]*)/g)].map(([, row]) => row),
        ['Order lines', 'Books', 'A.b'],
      )
      assert.deepEqual(listBoxes(shown), [
        ['order-lines.see', 'Order lines: see', false, false],
        ['order-lines.make', 'Order lines: make', false, false],
        ['books.make', 'Books: make', true, false],
        ['a.b.see', 'A.b: see', false, false],
        ['reports', '', true, false],
        ['.see', '', false, false],
        ['books.burn', '', false, false],
      ])
      assert.match(shown, /<tr><th scope="row">Books<\/th><td><\/td><td><input/)
      assert.match(
        shown,
        /<label><input [^>]* value="reports"[^>]*> Read &lt;reports>|<label><input [^>]*value="reports"[^>]*> Read <reports>/,
      )
      assert.match(shown, /data-saved="Books: make; Read <reports>"/)
    })

    test('SVC-7: the words of a grid are those of the language', async () => {
      const path = await insert('order-lines.make', 'order-lines.see')
      const shown = findGrid(await open(path, 'sue', 'de'))
      assert.match(shown, /<th scope="col">Sehen<\/th><th scope="col">Anlegen<\/th>/)
      assert.match(shown, /aria-label="Order lines: sehen"/)
      assert.match(await open(path, 'ann', 'de'), /<li>Order lines: sehen, anlegen<\/li>/)
    })

    test('SVC-7: readers see the choices of a grid in words, by row', async () => {
      const page = await open(await insert('reports', 'order-lines.see', 'order-lines.make', 'books.make'), 'ann')
      assert.equal(findGrid(page), '')
      assert.match(
        page,
        /<dt>Rights<\/dt><dd><ul class="values"><li>Books: make<\/li><li>Order lines: see, make<\/li><li>Read <reports><\/li><\/ul>/,
      )
      assert.match(await open(await insert(), 'ann'), /<dt>Rights<\/dt><dd><span class="none">&ndash;/)
    })

    test('SVC-7: without the script, a form stores the checked choices, and none as an empty list', async () => {
      const path = await insert('books.make')
      assert.equal((await send(path, ['reports', 'order-lines.see'])).status, 303)
      assert.deepEqual(await readRights(path), ['order-lines.see', 'reports'])
      assert.deepEqual(listChecked(findGrid(await open(path, 'sue'))), ['order-lines.see', 'reports'])
      assert.equal((await send(path, [])).status, 303)
      assert.deepEqual(await readRights(path), [])
      const empty = findGrid(await open(path, 'sue'))
      assert.deepEqual(listChecked(empty), [])
      assert.match(empty, /data-saved="&ndash;"/)
    })

    test('SVC-7: a list of choices in a column has a grid too; all choices are one word for readers', async () => {
      const path = await insert()
      assert.match(await open(path, 'sue'), /id="patch-flags" data-field="flags"/)
      assert.equal(await sendFlags(path, 'b.see', 'a.see'), 303)
      assert.match(
        await open(path, 'ann'),
        /<dt>Flags<\/dt><dd><ul class="values"><li>B: see<\/li><li>A: see<\/li><\/ul>/,
      )
      assert.equal(await sendFlags(path, 'a.see', 'a.make', 'b.see'), 303)
      assert.match(await open(path, 'ann'), /<dt>Flags<\/dt><dd><ul class="values"><li>All<\/li><\/ul>/)
      assert.equal(await sendFlags(path), 303)
      assert.match(await open(path, 'ann'), /<dt>Flags<\/dt><dd><span class="none">/)
    })

    test('SVC-7: a rejected form keeps what was checked, and marks what the error names', async () => {
      const path = await insert()
      const wrong = await send(path, ['books.make', 'gone.see'])
      assert.equal(wrong.status, 400)
      const shown = findGrid(toReadableText(wrong.text))
      assert.deepEqual(listChecked(shown), ['books.make', 'gone.see'])
      assert.deepEqual(
        listBoxes(shown).flatMap(([value, , , invalid]) => (invalid ? [value] : [])),
        ['gone.see'],
      )
      assert.match(shown, /<ul class="errors" id="patch-rights-errors" ><li>1: "gone\.see" is not a valid choice\./)
      assert.deepEqual(await readRights(path), [])
    })

    test('SVC-7: after a conflict, the form has what was checked, and what others have saved in words', async () => {
      const path = await insert('reports')
      const conflict = async (selected: readonly string[]) =>
        findGrid(toReadableText((await send(path, selected, '"old"')).text))
      const shown = await conflict(['books.make'])
      assert.deepEqual(listChecked(shown), ['books.make'])
      assert.match(shown, /Others have saved: <bdi>Read <reports><\/bdi>/)
      await send(path, ['a.b.see', 'order-lines.see', 'order-lines.make'])
      assert.doesNotMatch(await conflict(['order-lines.see', 'order-lines.make', 'a.b.see']), /Others have saved/)
      assert.match(await conflict([]), /<bdi>A\.b: see; Order lines: see, make<\/bdi>/)
    })
  },
  { migrations },
)

test('a grid without columns, or with a column that no choice has, is an error at start', () => {
  const declare = (columns: Record<string, string>) => () => multipleChoice(['a.see', 'b'], { rows, grid: { columns } })
  assert.throws(declare({}), { message: 'multipleChoice(): "grid" has no columns: name them, or remove it' })
  assert.throws(() => list({ of: text(), grid: { columns: { see: 'see' } } }), {
    message: 'list(): "grid" arranges choices: write of: choice(), or remove "grid"',
  })
  assert.throws(declare({ see: 'see', burn: 'burn' }), {
    message: 'multipleChoice(): no choice is in the column "burn" of "grid": add one, such as "orders.burn"',
  })
  assert.doesNotThrow(declare({ see: 'see' }))
})
