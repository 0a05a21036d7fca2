// Objects of a list beside each other: `?_compare=1,2` at its URL, to which the selection of the list leads.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { browsable, german, jsonRenderer, pageNumber, related, resource, rowFilter } from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { authors, bookFields, bookRow, tags } from '../support/library.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const staffOnly = { visible: ({ user }: { user: { isStaff: boolean } }) => user.isStaff }
const { secret: _, ...shown } = bookFields
const books = resource('books', {
  table: 'books',
  objectName: 'title',
  fields: { ...shown, translator: related(authors, { nullable: true, ...staffOnly }) },
  ordering: ['title'],
  filters: { genre: ['exact'] },
  permissions: [rowFilter(({ row, caller }) => sql`coalesce(${row.owner_id}, ${caller.id}) = ${caller.id}`)],
})

onEachDatabase(
  () => ({
    authentication: [userScheme],
    pagination: pageNumber(),
    pageSize: 2,
    renderers: [jsonRenderer, browsable()],
    strict: true,
    languages: { de: german },
    resources: [books, authors, tags],
  }),
  library => {
    before(async () => {
      const { insert } = library()
      const [jane] = await insert('authors', [{ name: 'Jane Austen' }])
      const row = (title: string, more = {}) => ({ ...bookRow, title, ...more })
      await insert('books', [
        row('Emma', { author_id: jane, translator_id: jane, summary: '' }),
        row('Persuasion <1>', { pages: 249, summary: null }),
        row('of Bob', { owner_id: 2 }),
        ...[4, 5, 6].map(number => row(`Book ${number}`)),
      ])
    })

    const open = async (query: string, user: 'ann' | 'bob' | 'sue' = 'ann', language = 'en') => {
      const headers = { ...asUser(user).headers, accept: 'text/html', 'accept-language': language }
      const page = await library().client.get(`/books/?${query}`, { headers })
      assert.equal(page.status, 200)
      return toReadableText(page.text)
    }
    const listRows = (page: string) =>
      [...page.matchAll(/<tr( class="differs")?><th scope="row">([^<]*).*?<\/tr>/gs)].map(([row, mark, label]) => [
        label!.trim(),
        mark !== undefined && row.includes('<span class="tag">differs</span>'),
      ])
    const findProblem = (page: string) => /<p class="notice errors" role="alert">([^<]*)/.exec(page)?.[1]

    test('SVC-7: the objects are columns with links, and the fields rows, of which those that differ are marked by a word', async () => {
      const page = await open('_compare=1,2')
      assert.match(page, /<h1[^>]*>Compare: Books<\/h1>/)
      assert.match(
        page,
        /<th scope="col"><a href="\/books\/1\/"><bdi>Emma<.*<th scope="col"><a href="\/books\/2\/"><bdi>Persuasion <1></s,
      )
      const rows = Object.fromEntries(listRows(page))
      assert.deepEqual([rows.Pages, rows.Author, rows.Genre], [true, true, false])
      // Both are shown as a dash.
      assert.equal(rows.Summary, false)
      assert.ok(!('Title' in rows) && !('Url' in rows))
      assert.match(page, /<td><a href="\/authors\/1\/">Jane Austen<\/a><\/td><td><span class="none">/)
      assert.match(page, new RegExp(`2 of ${listRows(page).length} fields differ\\.`))
    })

    test('SVC-7: a link leaves out the fields that are the same, and keeps the filters; another one shows all', async () => {
      const page = await open('genre=novel&_compare=1,2')
      const [, href] = /<a href="\/books\/\?([^"]*)">Only differences</.exec(page)!
      const short = await open(href!.replaceAll('&amp;', '&'))
      assert.deepEqual(listRows(short), [
        ['Pages', true],
        ['Author', true],
      ])
      assert.match(short, /<a href="\/books\/\?genre=novel&_compare=1,2">All fields</)
      assert.match(short, /<a class="button" href="\/books\/\?genre=novel">Go to Books</)
    })

    test('SVC-7: only objects and fields that the caller sees are compared', async () => {
      assert.equal(
        findProblem(await open('_compare=1,3', 'ann')),
        'Not found: 3. Select rows that are in the list, and press Compare.',
      )
      assert.match(await open('_compare=1,3', 'bob'), /<bdi>of Bob</)
      assert.doesNotMatch(await open('_compare=1,2', 'ann'), /Translator/)
      assert.ok(listRows(await open('_compare=1,2', 'sue')).some(([label]) => label === 'Translator'))
    })

    test('SVC-7: wrong keys, one object and too many are one sentence that says what to do', async () => {
      for (const keys of ['', '1', '1,1', ',', '1,2,4,5,6,7'])
        assert.equal(
          findProblem(await open(`_compare=${keys}`)),
          'Select 2 to 5 rows of the list, and press Compare.',
          keys,
        )
      for (const key of ['99', 'x', '../authors/1', '%2F', '1/2', '<b>', '%00', '%25zz'])
        assert.match(findProblem(await open(`_compare=1,${key}`))!, /^Not found: /, key)
      assert.equal(listRows(await open('_compare=1,2,4,5,6')).length, listRows(await open('_compare=1,2')).length)
    })

    test('SVC-7: the button of the selection leads to the URL of the comparison', async () => {
      const list = await open('genre=novel')
      assert.match(list, /<button name="_compare" formnovalidate>Compare<\/button>/)
      const response = await library().app.inject({
        method: 'POST',
        url: '/books/?genre=novel&_bulk=',
        payload: '_selected=%2Fbooks%2F1%2F&_selected=2%2F+4%2F&_bulk=&_compare=',
        headers: {
          ...asUser('ann').headers,
          accept: 'text/html',
          'content-type': 'application/x-www-form-urlencoded',
          'sec-fetch-site': 'same-origin',
        },
      })
      assert.deepEqual([response.statusCode, response.headers.location], [303, '/books/?genre=novel&_compare=1,2,4'])
    })

    test('SVC-7: the page is German too', async () => {
      const page = await open('_compare=1,2', 'ann', 'de')
      assert.match(page, /<h1[^>]*>Vergleichen: Books<\/h1>.*2 von \d+ Feldern sind verschieden\..*Nur Unterschiede/s)
    })
  },
)
