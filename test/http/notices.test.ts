// The buttons of the form for a new object, and the notices that say what a form has created or changed, without a script.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browsable, jsonRenderer, type Migrations, resource, text, writeOnly } from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_notes'({ schema }, { key, text }) {
    await schema
      .createTable('notes')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('first_line', text, column => column.notNull())
      .addColumn('pin', text, column => column.notNull())
      .addColumn('lines', text, column => column.notNull())
      .execute()
  },
}

const accept = 'text/html'

const fields = {
  title: text({ label: 'Title <b>' }),
  first_line: text({ blank: true, default: '' }),
  pin: writeOnly(text({ blank: true, default: '' })),
  lines: text({ blank: true, default: '' }),
}

onEachDatabase(
  database => ({
    database,
    renderers: [jsonRenderer, browsable()],
    resources: [
      resource('notes', { table: 'notes', fields, objectName: 'title' }),
      resource('secret-notes', { table: 'notes', fields, actions: ['create', 'list'] }),
      resource('plain-notes', { table: 'notes', fields }),
    ],
  }),
  api => {
    const headers = { accept, 'sec-fetch-site': 'same-origin' }
    const post = (url: string, form: Record<string, string>) => api().client.request('POST', url, { form, headers })
    const open = async (url: string, cookie = '') => {
      const { text: page } = await api().client.get(url, { headers: { accept, cookie } })
      return toReadableText(page)
    }
    const findNotice = (page: string) => /<p class="notice"[^>]*>(.*?)<\/p>/s.exec(page)?.[1]
    /** The notice of the page to which a form leads. */
    async function follow({ status, headers: { location, 'set-cookie': cookies } }: Awaited<ReturnType<typeof post>>) {
      assert.equal(status, 303)
      return findNotice(await open(location!, String(cookies).split(';')[0]))
    }
    async function create(title: string) {
      const { headers: created } = await api().client.post('/notes/', { json: { title } })
      return new URL(created.location!).pathname
    }

    test('SVC-7: the form for a new object has a button for another one, and a link back to the list', async () => {
      const page = await open('/notes/?new')
      assert.match(page, /<form method="post" action="\/notes\/\?new"/)
      assert.match(
        page,
        /<button class="primary">Create<\/button> <button formaction="\/notes\/\?new&_another"[^>]*>Create and add another<\/button> <a class="button" href="\/notes\/">Cancel<\/a>/,
      )
    })

    test('SVC-7: a created object is named on its page', async () => {
      const created = await post('/notes/?new', { title: '<i>"x" & more' })
      assert.match(created.headers.location!, /^\/notes\/\d+\/$/)
      assert.equal(await follow(created), 'Note “<bdi><i>"x" & more</bdi>” created.')
      assert.match((await api().client.get('/notes/?new', { headers: { accept } })).text, /Create/)
    })

    test('SVC-7: after "add another", the form is empty, and the notice links to the created object', async () => {
      const created = await post('/notes/?new&_another', { title: 'مرحبا' })
      assert.equal(created.headers.location, '/notes/?new')
      const notice = await follow(created)
      assert.match(notice!, /^Note “<a href="\/notes\/\d+\/"><bdi>مرحبا<\/bdi><\/a>” created\.$/)
      assert.doesNotMatch(await open('/notes/?new'), /value="مرحبا"/)
    })

    test('SVC-7: a rejected form keeps its input, and both buttons', async () => {
      const rejected = await post('/notes/?new&_another', { title: '', first_line: 'kept' })
      assert.equal(rejected.status, 400)
      const page = toReadableText(rejected.text)
      assert.match(page, /value="kept"/)
      assert.match(page, /<form method="post" action="\/notes\/\?new"/)
      assert.match(page, /formaction="\/notes\/\?new&_another"/)
    })

    test('SVC-7: a very long name is cut, and the name of an object needs no declaration', async () => {
      const long = await follow(await post('/notes/?new', { title: 'n'.repeat(10_000) }))
      assert.equal(long, `Note “<bdi>${'n'.repeat(200)}…</bdi>” created.`)
      assert.match(
        (await follow(await post('/plain-notes/?new', { title: 'x' })))!,
        /^Plain Note “<bdi>x<\/bdi>” created\.$/,
      )
    })

    test('SVC-7: a client that is no page gets the created object, and so does a page without a page of the object', async () => {
      const plain = await api().client.request('POST', '/notes/', { form: { title: 'x' }, headers: { accept } })
      assert.equal(plain.status, 201)
      assert.equal((await post('/secret-notes/?new', { title: 'x' })).status, 201)
    })

    test('SVC-7: the notice of a change names the changed fields', async () => {
      const url = await create('old')
      const save = async (form: Record<string, string>) => follow(await post(`${url}?_method=PATCH`, form))
      assert.equal(await save({ title: 'new', first_line: 'x', lines: '', pin: '' }), 'Saved: Title <b>, First line')
      assert.equal(await save({ title: 'new', first_line: 'x', lines: '', pin: '1234' }), 'Saved: Pin')
      assert.equal(await save({ title: 'new', first_line: 'x', lines: '', pin: '' }), 'Saved.')
    })

    test('SVC-7: a notice shows no text of its cookie', async () => {
      const url = await create('x')
      const read = async (notice: string) => findNotice(await open(url, `notice=${encodeURIComponent(notice)}`))
      for (const notice of ['created://evil.example/', 'created:/notes/999/', 'created:/', 'created:/nothing/<b>'])
        assert.equal(await read(notice), 'Created.', notice)
      assert.equal(await read('saved:<b>:constructor:__proto__'), 'Saved.')
      assert.equal(await read('saved:first_line:<b>'), 'Saved: First line')
      for (const notice of ['<b>', 'constructor', ':', '__proto__:x'])
        assert.equal(await read(notice), undefined, notice)
    })
  },
  { migrations },
)
