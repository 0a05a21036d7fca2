// A list as a file: `?format=csv` and `?format=xlsx`, with the filters, the order, the columns and the rights of the page.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { streamXlsxRows } from 'hucre/xlsx'
import { sql } from 'kysely'
import { browsable, german, jsonRenderer, pageNumber, related, resource, rowFilter } from 'resource-api'
import { authors, bookFields, bookRow, tags } from '../support/library.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const staffOnly = { visible: ({ user }: { user: { isStaff: boolean } }) => user.isStaff }
const { secret: _, ...shown } = bookFields
const books = resource('books', {
  table: 'books',
  objectName: 'title',
  fields: { ...shown, translator: related(authors, { nullable: true, ...staffOnly }) },
  ordering: ['title'],
  orderingFields: ['pages'],
  searchFields: ['title'],
  filters: { genre: ['exact'] },
  pages: { columns: ['pages', 'published', 'in_print', 'genre', 'author', 'translator', 'tags', 'summary'] },
  permissions: [rowFilter(({ row, caller }) => sql`coalesce(${row.owner_id}, ${caller.id}) = ${caller.id}`)],
})
const renderers = [jsonRenderer, browsable({ maxDownloadRows: 1500 })]
const api = {
  authentication: [userScheme],
  pagination: pageNumber(),
  pageSize: 2,
  renderers,
  strict: true,
  languages: { de: german },
}

/** Opens the workbook, as rows. */
async function readWorkbook(bytes: Buffer): Promise<readonly (readonly unknown[])[]> {
  const rows: (readonly unknown[])[] = []
  for await (const { values } of streamXlsxRows(bytes)) rows.push(values)
  return rows
}

onEachDatabase(
  () => ({ ...api, resources: [books, authors, tags] }),
  library => {
    const download = (query: string, user: 'ann' | 'sue' = 'sue', path = '/books/', language = 'en') =>
      library().app.inject({
        url: `${path}?${query}`,
        headers: { ...asUser(user).headers, accept: 'text/html', 'accept-language': language },
      })
    const csv = async (...options: Parameters<typeof download>) => {
      const { statusCode, headers, payload } = await download(...options)
      assert.equal(statusCode, 200)
      assert.equal(headers['content-type'], 'text/csv; charset=utf-8')
      assert.equal(payload[0], '\ufeff')
      return payload.slice(1).split('\r\n').slice(0, -1)
    }

    before(async () => {
      const { insert } = library()
      const [jane] = await insert('authors', [{ name: 'Jane; Austen' }])
      const row = (title: string, more = {}) => ({ ...bookRow, title, ...more })
      await insert('books', [
        row('Emma', { author_id: jane, translator_id: jane, published: '1815-12-23T00:00:00.000000Z' }),
        row('=1+1', { genre: 'poetry', published: '2026-11-28T09:30:00.000000Z', summary: 'two\nlines "quoted"' }),
        row('Persuasion', { in_print: false, genre: 'poetry', pages: 249 }),
        row('of Bob', { owner_id: 2 }),
      ])
    })

    test('SVC-7: the file has the objects of all pages in the order of the page, and the names of related objects', async () => {
      assert.deepEqual(await csv('format=csv&page=2'), [
        'Id,Title,Pages,Published (UTC),In print,Genre,Author,Translator,Tags,Summary',
        `2,'=1+1,474,2026-11-28T09:30:00.000000Z,true,poetry,,,,"two\nlines ""quoted"""`,
        '1,Emma,474,1815-12-23T00:00:00.000000Z,true,novel,"Jane; Austen","Jane; Austen",,',
        '3,Persuasion,249,,false,poetry,,,,',
      ])
    })

    test('SVC-7: filters, search, order and chosen fields are those of the page', async () => {
      const titles = (lines: readonly string[]) => lines.slice(1).map(line => line.split(',')[1])
      assert.deepEqual(titles(await csv('format=csv&genre=poetry')), [`'=1+1`, 'Persuasion'])
      assert.deepEqual(titles(await csv('format=csv&search=mm')), ['Emma'])
      assert.equal(titles(await csv('format=csv&ordering=pages'))[0], 'Persuasion')
      assert.deepEqual(await csv('format=csv&search=none'), [
        'Id,Title,Pages,Published (UTC),In print,Genre,Author,Translator,Tags,Summary',
      ])
      assert.equal((await download('format=csv&colour=red')).statusCode, 400)
    })

    test('SVC-7: callers get the rows and the columns that they see', async () => {
      const [header, ...lines] = await csv('format=csv', 'ann')
      assert.equal(header, 'Id,Title,Pages,Published (UTC),In print,Genre,Author,Tags,Summary')
      assert.deepEqual(
        lines.map(line => line.split(',')[0]),
        ['2', '1', '3'],
      )
      assert.equal(
        (await library().app.inject({ url: '/books/?format=csv', headers: asUser('nobody').headers })).statusCode,
        401,
      )
    })

    test('SVC-7: in a workbook, numbers, dates and booleans have their types, and no text is a formula', async () => {
      const { rawPayload, headers } = await download('format=xlsx')
      assert.equal(headers['content-type'], 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
      assert.equal(headers['content-disposition'], 'attachment; filename="Books.xlsx"')
      const [header, first, second] = await readWorkbook(rawPayload)
      assert.deepEqual(header?.slice(0, 5), ['Id', 'Title', 'Pages', 'Published (UTC)', 'In print'])
      assert.deepEqual(first?.slice(0, 6), [2, '=1+1', 474, new Date('2026-11-28T09:30:00Z'), true, 'poetry'])
      // Excel has no dates before 1900.
      assert.deepEqual(second?.slice(0, 8), [
        1,
        'Emma',
        474,
        '1815-12-23T00:00:00.000000Z',
        true,
        'novel',
        'Jane; Austen',
        'Jane; Austen',
      ])
    })

    test('SVC-7: where people write a comma before decimals, the separator is a semicolon', async () => {
      const [header] = await csv('format=csv', 'sue', '/books/', 'de')
      assert.match(header!, /^Id;Title;Pages/)
    })

    test('SVC-7: the page of a list links to its files, and other pages have none', async () => {
      const { payload } = await download('genre=poetry')
      assert.match(payload.replaceAll('&#61;', '='), /href="\/books\/\?genre=poetry&#38;format=csv"[^>]* download>CSV/)
      assert.match(payload, /format&#61;xlsx|format=xlsx/)
      assert.equal((await download('search=none')).payload.includes('format=csv'), false)
      assert.equal((await download('format=csv', 'sue', '/books/1/')).statusCode, 404)
      assert.equal((await download('format=csv', 'sue', '/nowhere/')).statusCode, 404)
      assert.equal((await download('format=doc')).statusCode, 404)
    })
  },
)

onEachDatabase(
  () => ({
    ...api,
    resources: [
      resource('tags', { table: 'tags', fields: tags.fields, ordering: ['id'] }),
      resource('labels', { table: 'tags', fields: tags.fields, pagination: pageNumber() }),
    ],
    pagination: pageNumber({ count: 'none' }),
  }),
  library => {
    const count = 4000
    const read = (query: string) => library().app.inject({ url: `/tags/?${query}`, payloadAsStream: true })

    before(async () => {
      // The file is several times larger than the buffers between the database and the reader.
      const rows = Array.from({ length: count }, (_, index) => ({ name: `${index}`.padStart(400, '.') }))
      for (let start = 0; start < count; start += 500) await library().insert('tags', rows.slice(start, start + 500))
    })

    test('SVC-7: a file is read in portions while it is sent, and says where it is cut', async () => {
      const stream = (await read('format=csv')).stream()
      let [text, statements] = ['', 0]
      for await (const chunk of stream) {
        if (text === '') statements = observed.length
        text += chunk
      }
      const lines = text.split('\r\n')
      assert.equal(lines.length, 1500 + 3)
      assert.equal(lines.at(-2), 'Only the first 1500 rows. Narrow the list with its filters.')
      assert.ok(
        observed.length > statements,
        `${observed.length} statements, ${statements} of them before the first byte`,
      )
    })

    test('SVC-7: a list that counts more rows than a file may have says so', async () => {
      const { statusCode, payload } = await library().app.inject({ url: '/labels/?format=csv' })
      assert.equal(statusCode, 400)
      assert.match(payload, /A download has at most 1500 rows, and 4000 match\. Narrow the list with its filters\./)
    })

    test('SVC-7: a reader who leaves ends the reading', async () => {
      const stream = (await read('format=xlsx')).stream()
      for await (const _ of stream) break
      const { length } = observed
      assert.equal((await library().app.inject({ url: '/labels/?page=1' })).statusCode, 200)
      assert.ok(observed.length < length + 10)
    })
  },
  { observe: statement => observed.push(statement) },
)

const observed: string[] = []
