// The panel of a page without a script: requests as code, and what they take, from the declarations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boolean,
  browsable,
  choice,
  dateTime,
  german,
  integer,
  jsonRenderer,
  key,
  type Permission,
  resource,
  text,
  writeOnly,
} from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { onEachDatabase } from '../support/own-api.ts'

const fields = {
  id: key(),
  title: text({ max: 200, help: 'As printed on the cover.' }),
  pages: integer({ min: 1, max: 9000, default: 100 }),
  published: dateTime({ nullable: true }),
  in_print: boolean({ default: true }),
  subtitle: text({ fixed: true }),
  genre: choice([...'abcdefghijk'], { default: 'a' }),
  secret: writeOnly(text({ default: 'none' })),
}

const shared = {
  table: 'books',
  fields,
  hookColumns: ['contact'],
  prepare: ({ action }: { readonly action: string }) => (action === 'create' ? { contact: '' } : {}),
} as const

const packers: Permission = { audience: 'the packers', allows: ({ method }) => method !== 'POST' }

onEachDatabase(
  database => ({
    database,
    renderers: [jsonRenderer, browsable()],
    languages: { de: german },
    resources: [
      resource('books', {
        ...shared,
        filters: { genre: true, pages: true, in_print: true },
        orderingFields: ['title'],
        searchFields: ['title'],
      }),
      resource('parcels', { ...shared, permissions: [packers] }),
    ],
  }),
  api => {
    const headers = { accept: 'text/html' }
    const show = async (url: string, language = 'en') =>
      toReadableText((await api().client.get(url, { headers: { ...headers, 'accept-language': language } })).text)

    // The text of a section of the panel.
    const readSection = (page: string, start: string) =>
      (page.split(start, 2)[1] ?? '')
        .split('<details name="console"')[0]!
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')

    test('SVC-7: the panel says what a field takes, in the caller’s language', async () => {
      const said = readSection(await show('/books/'), 'id="fields"')
      assert.match(said, /title string required As printed on the cover\. up to 200 characters/)
      assert.match(said, /pages integer = 100 at least 1, at most 9,000 published datetime may be null/)
      assert.match(said, /subtitle string required only when created/)
      assert.match(said, /genre choice = "a" One of 11 values a, b, c, d, e, f, g, h, i, j, k/)
      assert.match(said, /id integer read-only/)
      assert.match(said, /secret string = "none" write-only/)
      const german = readSection(await show('/books/', 'de'), 'id="fields"')
      assert.match(german, /title string erforderlich As printed on the cover\. höchstens 200 Zeichen/)
      assert.match(german, /mindestens 1, höchstens 9\.000 published datetime darf null sein/)
    })

    // V8 needs twice the memory for any other text, and more time to send it.
    test('the panel adds only ASCII to an English page', async () => {
      const { text: page } = await api().client.get('/parcels/', { headers })
      assert.doesNotMatch(page.split('<details class="panel">')[1]!, /[^ -~\n]/)
    })

    test('SVC-7: each parameter of a list has an example that works', async () => {
      const links = [...(await show('/books/')).matchAll(/<a href="(\?[^"]*)"><code>/g)].map(([, query]) => query!)
      const examples = ['?genre=a', '?pages=1', '?in_print=true', '?search=a', '?ordering=title', '?ordering=-title']
      assert.deepEqual(links, examples)
      for (const query of links) assert.equal((await api().client.get(`/books/${query}`)).status, 200, query)
    })

    test('SVC-7: the panel names the errors of a view with their bodies', async () => {
      const errors = readSection(await show('/books/'), 'id="errors"')
      assert.match(
        errors,
        /400 Bad Request The request is malformed, .* \{ "title": \[ "This field is required\." \] \}/,
      )
      assert.match(errors, /415 Unsupported Media Type POST The body has a media type that is not supported/)
      assert.match(readSection(await show('/books/', 'de'), 'id="errors"'), /"Dieses Feld ist erforderlich\."/)
    })

    test('SVC-7: a method that the caller may not call has no section, and the fields say who may', async () => {
      const page = await show('/parcels/')
      assert.doesNotMatch(page, /data-console="POST"/)
      assert.match(readSection(page, 'id="fields"'), /POST Who may: the packers\./)
      assert.match(readSection(page, 'id="fields"'), /title string required/)
    })

    test('SVC-7: a rejected request is shown as code without secrets, in the open section', async () => {
      const body = { title: '', subtitle: 's', secret: 'hunter2' }
      const rejected = await api().client.post('/books/', { json: body, headers })
      assert.equal(rejected.status, 400)
      assert.match(rejected.text, /data-console="POST" open/)
      const code = readSection(toReadableText(rejected.text), 'data-console="POST"')
      assert.match(code, /curl -X POST/)
      assert.match(code, /"subtitle": "s"/)
      assert.doesNotMatch(rejected.text, /hunter2/)
    })

    test('SVC-7: a PATCH shows one field, a PUT all of them', async () => {
      const created = await api().client.post('/books/', { json: { title: 'It’s', subtitle: 's' } })
      const page = await show(`/books/${created.json().id}/`)
      assert.match(readSection(page, 'data-console="PATCH"'), /-d ' \{ "title": "It’s" \} '/)
      assert.match(readSection(page, 'data-console="PUT"'), /"pages": 100/)
      assert.match(readSection(page, 'data-console="PATCH"'), /client\.books\(\d+\)\.update\( \{ title: /)
    })

    test('SVC-7: the client’s code of a filtered list has its query', async () => {
      const page = readSection(await show('/books/?genre=a&format=api'), 'data-console="GET"')
      assert.match(page, /client\.books\.list\(\{ genre: 'a', \}\)/)
      assert.match(page, /curl \\ -H 'Accept: application\/json' \\ 'http:\/\/[^']*\/books\/\?genre=a'/)
    })
  },
)
