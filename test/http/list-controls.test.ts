// The pages of lists: what can be asked of a list without a script, its objects as a table, and the page of the root.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import {
  boolean,
  browsable,
  choice,
  integer,
  jsonRenderer,
  key,
  pageNumber,
  resource,
  text,
} from '../../src/framework/index.ts'
import { createPeople, type People } from '../support/administration.ts'
import { authors, bookRow } from '../support/library.ts'
import { onEachDatabase } from '../support/own-api.ts'
import { onEveryDatabase } from '../support/service.ts'

const accept = { accept: 'text/html' }
const users = '/admin/users/'

/** The page as one reads its source: the template escapes more than it must. */
const readable = (text: string) => text.replaceAll('&#61;', '=').replaceAll('&#39;', "'").replaceAll('&#38;', '&amp;')

const formOf = (page: string) => /<form class="narrowing".*?<\/form>/s.exec(page)?.[0] ?? ''
const tableOf = (page: string) => /<table>.*?<\/table>/s.exec(page)?.[0] ?? ''
const names = (page: string) => [...tableOf(page).matchAll(/<th scope="row">.*?>([^<]*)<\/a>/g)].map(([, name]) => name)

suite('the administration', () => {
  onEveryDatabase({}, service => {
    let people: People
    beforeEach(async () => {
      people = await createPeople(service())
    })

    const page = async (path: string, token = people.root.key) =>
      readable((await service().client.get(path, { token, headers: accept })).text)

    test('SVC-7: a list can be searched, filtered and ordered by a form, which keeps what else was asked for', async () => {
      const form = formOf(await page(`${users}?search=a&is_staff=false&ordering=-username&lang=en`))
      assert.match(form, /method="get" action="\/admin\/users\/"/)
      assert.match(form, /<input id="list-search" type="search" name="search" value="a">/)
      assert.match(
        form,
        /name="is_staff"><option value="" >Any<\/option><option value="true" >Yes<\/option><option value="false" selected>No</,
      )
      assert.match(form, /<option value="-username" selected>Username, descending</)
      assert.match(form, /<input type="hidden" name="lang" value="en">/)
      assert.match(form, /<a href="\/admin\/users\/\?lang=en">Show all</)
      assert.deepEqual(names(await page(`${users}?search=a&is_staff=false&ordering=-username`)), ['pam', 'ann'])
    })

    test('SVC-7: a value that is wrong is said, and can be corrected', async () => {
      const response = await service().client.get(`${users}?is_staff=maybe`, {
        token: people.root.key,
        headers: accept,
      })
      assert.equal(response.status, 400)
      assert.notEqual(formOf(response.text), '')
      assert.equal(tableOf(response.text), '')
    })

    test('SVC-7: objects are rows that lead to their pages, which say their names', async () => {
      const text = await page(users)
      assert.deepEqual(names(text), ['ann', 'pam', 'root', 'sam', 'stan'])
      assert.match(text, new RegExp(`<th scope="row"><a href="${users}${people.ann.id}/">ann</a>`))
      assert.match(tableOf(text), /<th scope="col"\s*><a href="\/admin\/users\/\?ordering=email">Email</)
      assert.match(
        tableOf(await page(`${users}?ordering=email`)),
        /aria-sort="ascending"><a href="\S+ordering=-email">/,
      )
      const instance = await page(`${users}${people.ann.id}/`)
      assert.match(instance, /<h1>ann<\/h1>/)
      assert.match(instance, /<title>ann /)
      const json = await service().client.get(users, { token: people.root.key })
      assert.equal(json.headers['content-type'], 'application/json')
    })

    test('SVC-7: who may delete can choose rows', async () => {
      assert.match(await page(users), new RegExp(`<input type="checkbox" value="${users}${people.ann.id}/"`))
      assert.doesNotMatch(await page('/admin/audit-log/'), /data-bulk/)
      assert.doesNotMatch(await page('/snippet/users/'), /data-bulk/)
    })

    test('AUTH-SCH-2: no page of the administration has a key, and strangers see none', async () => {
      for (const path of ['users', 'groups', 'tokens', 'sessions', 'snippets', 'audit-log']) {
        const text = await page(`/admin/${path}/`)
        assert.match(text, /<h1>/)
        assert.ok(!text.includes(people.root.key))
        const refused = await service().client.get(`/admin/${path}/`, { headers: accept })
        assert.deepEqual([refused.status, formOf(refused.text), tableOf(refused.text)], [401, '', ''])
      }
    })

    test('the root shows what there is, and how to begin; its JSON is as specified', async () => {
      const { client } = service()
      const json = { directory: 'http://localhost/directory/', snippets: 'http://localhost/snippet/' }
      assert.deepEqual((await client.get('/')).json(), json)
      const stranger = readable((await client.get('/', { headers: accept })).text)
      for (const href of [...Object.values(json), 'http://localhost/api-token-auth/'])
        assert.ok(stranger.includes(`<a href="${href}">`), href)
      assert.match(stranger, /curl -d username=USERNAME -d password=PASSWORD/)
      assert.doesNotMatch(stranger, /\/admin\//)
      assert.doesNotMatch(await page('/', people.ann.key), /\/admin\//)
      assert.match(await page('/', people.stan.key), /<a href="http:\/\/localhost\/admin\/">Administration</)
    })
  })
})

const fields = {
  id: key(),
  title: text(),
  url: text({ column: 'summary', nullable: true }),
  pages: integer(),
  in_print: boolean(),
  genre: choice(['novel', 'poetry']),
}

const resources = [
  authors,
  resource('books', {
    table: 'books',
    fields,
    searchFields: ['title'],
    filters: ['genre', 'in_print'],
    orderingFields: ['title'],
    hookColumns: ['subtitle', 'contact'],
    prepare: () => ({ subtitle: '', contact: '' }),
  }),
]

onEachDatabase(
  () => ({
    resources,
    renderers: [jsonRenderer, browsable()],
    pagination: pageNumber({ pageSize: 2, pageQueryParam: 'p' }),
  }),
  api => {
    test('SVC-7: what is listed is text, and no text of it is a way to elsewhere', async () => {
      const { client, insert, database } = api()
      const isSqlite = database.dialect.name === 'sqlite'
      const row = { ...bookRow, genre: 'novel', in_print: isSqlite ? 1 : true, pages: 10 }
      const title = '<script>alert(1)</script>'
      await insert('books', [
        { ...row, title, summary: 'javascript:alert(1)' },
        { ...row, title: 'Long '.repeat(40), summary: 'http://localhost/authors/1/' },
        { ...row, title: 'Third', summary: null },
      ])
      const page = readable((await client.get('/books/', { headers: accept })).text)
      assert.ok(!page.includes(title))
      assert.match(page, /&#60;script&#62;/)
      assert.match(tableOf(page), /<a href="\/books\/1\/">1<.*Yes/)
      assert.match(tableOf(page), /Long &hellip;/)
      assert.doesNotMatch(tableOf(page), /(?:href|value)="(?:javascript:|[^"]*authors)/)
    })

    test('LIM-PAG-r1: what narrows a list leads to its first page, whatever the parameter is called', async () => {
      const page = readable((await api().client.get('/books/?p=2&genre=novel&x=1', { headers: accept })).text)
      assert.doesNotMatch(formOf(page), /name="p"/)
      assert.match(formOf(page), /<input type="hidden" name="x" value="1">/)
      assert.match(tableOf(page), /<a href="\/books\/\?genre=novel&amp;x=1&amp;ordering=title">/)
    })
  },
)
