// CSV files and workbooks that people bring into a list: the preview, the errors at their cells, and what is written.

import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { writeXlsx } from 'hucre/xlsx'
import { sql } from 'kysely'
import { browsable, jsonRenderer, pageNumber, resource, rowFilter, text, ValidationError } from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { authors, bookFields, bookRow, tags } from '../support/library.ts'
import { fieldPart, filePart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const books = resource('books', {
  table: 'books',
  objectName: 'title',
  fields: { ...bookFields, isbn: text({ min: 10, max: 13, nullable: true, unique: 'Taken.' }) },
  ordering: ['id'],
  permissions: [rowFilter(({ row, caller }) => sql`coalesce(${row.owner_id}, ${caller.id}) = ${caller.id}`)],
  beforeSave({ values }) {
    if (values.title === 'Forbidden') throw new ValidationError({ non_field_errors: 'Not this one.' })
  },
})
const renderers = [jsonRenderer, browsable()]

onEachDatabase(
  () => ({
    authentication: [userScheme],
    pagination: pageNumber(),
    renderers,
    rowsPerRequest: 300,
    strict: true,
    resources: [books, authors, tags],
  }),
  library => {
    let author: number
    let other: number
    before(async () => {
      const { insert } = library()
      ;[author] = (await insert('authors', [{ name: 'Jane' }])) as [number]
      await insert('tags', [{ name: 'old' }, { name: 'love' }])
      ;[other] = (await insert('books', [{ ...bookRow, title: 'of Bob', owner_id: 2 }])) as [number]
    })

    const headers = { ...asUser('ann').headers, accept: 'text/html', 'sec-fetch-site': 'same-origin' }
    const post = async (body: Buffer, path = '/books/') => {
      const response = await library().app.inject({
        method: 'POST',
        url: `${path}?_import=`,
        headers: { ...headers, ...multipartHeaders },
        payload: body,
      })
      return { status: response.statusCode, text: toReadableText(response.payload) }
    }
    const upload = (content: string | Buffer, name = 'books.csv', path?: string) =>
      post(multipartBody(filePart('file', name, content)), path)
    // The fields of the form of a page, as a browser sends them.
    const fill = (page: string, fields: Readonly<Record<string, string>> = {}) => {
      const rows = /name="_rows" value="([^"]*)"/.exec(page)![1]!
      const selects = [...page.matchAll(/<select id="[^"]*" name="([^"]*)">(.*?)<\/select>/gs)].map(
        ([, name, options]) => [name!, /<option value="([^"]*)" selected>/.exec(options!)![1]!],
      )
      return { _rows: rows, ...Object.fromEntries(selects), ...fields }
    }
    const send = (page: string, fields: Readonly<Record<string, string>> = {}) =>
      post(multipartBody(...Object.entries<string>(fill(page, fields)).map(([name, value]) => fieldPart(name, value))))
    const list = async () => (await library().rows('books')).filter(({ id }) => id !== other)

    beforeEach(async () => {
      await library().database.transaction(({ kysely }) =>
        kysely.deleteFrom('books').where('id', '<>', other).execute(),
      )
    })

    test('SVC-7: a list leads to the choice of a file, which says how large it may be', async () => {
      const page = (query: string) => library().app.inject({ url: `/books/${query}`, headers })
      assert.match((await page('')).payload, /href="\/books\/\?import">Import/)
      const { statusCode, payload } = await page('?import')
      assert.equal(statusCode, 200)
      assert.match(payload, /<h1[^>]*>Import: Books/)
      assert.match(payload, /At most 300 rows and 5 MB\./)
    })

    test('SVC-7: columns are matched by name and label, and a preview saves nothing', async () => {
      const csv = 'Title;PAGES;In print;Genre;Translator;tags;note\nEmma;474;no;Poetry;Jane;old; love;x\n'
      const wrong = await upload(csv)
      assert.equal(wrong.status, 400)
      assert.match(wrong.text, /Row 2 has more cells than the first row\./)
      const page = await upload(csv.replace('old; love', '"old; love"'))
      assert.equal(page.status, 200)
      assert.match(page.text, /Rows in books\.csv: 1, all right\. Nothing is saved yet\./)
      assert.deepEqual(await list(), [])
      const done = await send(page.text, { _run: 'all' })
      assert.equal(done.status, 200)
      assert.match(done.text, /1 created, 0 changed\./)
      const [book] = await list()
      assert.equal(book?.title, 'Emma')
      assert.deepEqual(
        [book?.pages, Boolean(book?.in_print), book?.genre, book?.translator_id],
        [474, false, 'poetry', author],
      )
    })

    test('SVC-7: errors are at their cells, also those of hooks and of the database', async () => {
      await library().insert('books', [{ ...bookRow, isbn: '1234567890' }])
      const csv =
        'title,pages,isbn,translator\nEmma,x,,\nForbidden,3,,\nEmma,3,1234567890,\nEmma,3,,Nobody\nGood,3,,\nTwice,3,0987654321,\nTwice,3,0987654321,\n'
      const page = await upload(csv)
      assert.equal(page.status, 200)
      assert.match(page.text, /Rows in books\.csv: 7, with errors: 5\./)
      assert.match(page.text, /<td class="invalid"><bdi>x<\/bdi><p class="error">A valid integer is required\.<\/p>/)
      assert.match(page.text, /<th scope="row">3<\/th><td><p class="error">Not this one\.<\/p>/)
      assert.match(page.text, /<bdi>1234567890<\/bdi><p class="error">Taken\.<\/p>/)
      assert.match(
        page.text,
        /<bdi>Nobody<\/bdi><p class="error">“Nobody” is not the name of exactly one object\.<\/p>/,
      )
      const refused = await send(page.text, { _run: 'all' })
      assert.equal(refused.status, 400)
      assert.equal((await list()).length, 1)
      const done = await send(page.text, { _run: 'good' })
      assert.match(done.text, /2 created, 0 changed\./)
      assert.match(done.text, /Rows that were not imported: 5/)
      assert.deepEqual(
        (await list()).map(({ title }) => title),
        ['Emma', 'Good', 'Twice'],
      )
    })

    test('SVC-7: a person chooses what the columns set', async () => {
      const page = await upload('Name,Length\nEmma,474\n')
      assert.equal(page.status, 400)
      assert.match(page.text, /No column sets a field\. Does the first row/)
      const twice = await send(page.text, { '_column.0': 'title', '_column.1': 'title' })
      assert.match(twice.text, /Two columns set “Title”\./)
      const checked = await send(page.text, { '_column.0': 'title', '_column.1': 'pages' })
      assert.match(checked.text, /all right/)
      await send(checked.text, { _run: 'all' })
      assert.equal((await list()).length, 1)
      for (const name of ['shelf', 'nothing', 'secret.x', '__proto__'])
        assert.equal((await send(page.text, { '_column.0': name })).status, 404)
    })

    test('SVC-7: rows change the objects with their keys, and no hidden ones', async () => {
      const [first, second] = await library().insert('books', [{ ...bookRow, summary: 'old' }, bookRow])
      const lines = [`${first},New`, ',Added', `${other},Stolen`, '99999,None', `${second},Twice`, `${second},Twice`]
      const page = await upload(`Id,Title,Summary,Pages\n${lines.map(line => `${line},,3\n`).join('')}`)
      assert.match(page.text, /6, with errors: 3\./)
      for (const id of [other, 99999])
        assert.match(page.text, new RegExp(`<td class="invalid"><bdi>${id}</bdi><p class="error">Not found\\.</p>`))
      assert.match(page.text, /<p class="error">This key is given twice\.<\/p>/)
      const done = await send(page.text, { _run: 'good' })
      assert.match(done.text, /1 created, 2 changed\./)
      assert.deepEqual(
        (await list()).map(({ title, summary }) => [title, summary]),
        [
          ['New', null],
          ['Twice', null],
          ['Added', null],
        ],
      )
      assert.equal((await library().rows('books')).find(({ id }) => id === other)?.title, 'of Bob')
      const added = await send(page.text, { _run: 'all', _changes: '' })
      assert.match(added.text, /6 created, 0 changed\./)
    })

    test('SVC-7: a workbook is read, and a formula counts as its value', async () => {
      const rows = [
        ['Title', 'Pages', 'Published'],
        ['Emma', null, new Date('1999-12-23T10:30:00Z')],
        ['=1+1', 5, null],
      ]
      const cells = new Map([['1,1', { value: null, formula: '400+74', formulaResult: 474 }]])
      const bytes = Buffer.from(await writeXlsx({ sheets: [{ name: 'Books', rows, cells }] }))
      const page = await upload(bytes, 'books.xlsx')
      assert.match(page.text, /Rows in books\.xlsx: 2, all right/)
      await send(page.text, { _run: 'all' })
      assert.deepEqual(
        (await list()).map(({ title, pages }) => [title, pages]),
        [
          ['Emma', 474],
          ['=1+1', 5],
        ],
      )
    })

    test('SVC-7: created objects can be deleted again', async () => {
      const done = await send((await upload('title,pages\nEmma,1\nPersuasion,2\n')).text, { _run: 'all' })
      assert.match(done.text, /Undo: delete what was created \(2\)/)
      const selected = /name="_selected" value="([^"]*)"/.exec(done.text)![1]!
      const undo = (more = {}) =>
        library().app.inject({
          method: 'POST',
          url: '/books/?_bulk=',
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          payload: String(new URLSearchParams({ _bulk: 'delete', _selected: selected, ...more })),
        })
      assert.match((await undo()).payload, /<bdi>Emma<\/bdi>/)
      assert.equal((await undo({ _confirmed: '1' })).statusCode, 303)
      assert.deepEqual(await list(), [])
    })

    test('SVC-7: a file that cannot be read says why', async () => {
      const wide = Array.from({ length: 201 }, (_, index) => `c${index}`).join()
      const long = `title,pages\n${'Emma,1\n'.repeat(301)}`
      const bomb = zip('xl/worksheets/sheet1.xml', Buffer.alloc(70_000_000, 'a'))
      const cases: readonly (readonly [string | Buffer, RegExp])[] = [
        ['', /The file is empty\./],
        ['\n \n', /The file is empty\./],
        ['title,pages\n', /The file has only one row/],
        [Buffer.from('title,pages\nCaf\xe9,1\n', 'latin1'), /because it is not UTF-8/],
        [Buffer.from([0, 1, 2, 3]), /neither CSV nor an Excel workbook/],
        [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /a workbook of an old Excel/],
        ['title,Title,title\na,b,c\n', /Two columns are called “title”\./],
        ['title\n"open\n', /A quotation mark in or after line 2 is not closed\./],
        ['title\n"a"b\n', /A quotation mark in or after line 2 is not closed\./],
        [`${wide}\n`, /The file has more than 200 columns\./],
        [long, /The file has more than 300 rows\./],
        [Buffer.alloc(6_000_000, 'a'), /The file is larger than 5 MB\./],
        [Buffer.from('PK\x03\x04 no archive'), /The workbook is damaged/],
        [bomb, /larger than 64 MB when it is unpacked/],
      ]
      for (const [content, expected] of cases) {
        const { status, text } = await upload(content)
        assert.equal(status, 400)
        assert.match(text, expected)
      }
      assert.match((await post(multipartBody(filePart('file', '', '')))).text, /Choose a file\./)
      assert.match((await post(multipartBody(fieldPart('_rows', 'x')))).text, /The rows of the file were not sent/)
      assert.deepEqual(await list(), [])
    })

    test('SVC-7: UTF-16, other separators, line ends and escaped formulas are read', async () => {
      for (const content of [
        Buffer.from('\ufeffTitle\tPages\r\n"Caf\u00e9 ""x""\nline"\t1\r\n', 'utf16le'),
        '\ufeffTitle;Pages\r"Café ""x""\nline";1\r',
        'Title,Pages\r\n"Café ""x""\nline",1',
      ]) {
        await send((await upload(content)).text, { _run: 'all' })
        assert.equal((await list()).at(-1)?.title, 'Café "x"\nline')
      }
      await send((await upload(`title,pages\n'=1+1,2\n`)).text, { _run: 'all' })
      assert.equal((await list()).at(-1)?.title, '=1+1')
    })

    test('SVC-7: only a person who may create objects imports, with a form of the same origin', async () => {
      const body = multipartBody(filePart('file', 'a.csv', 'title,pages\nEmma,1\n'))
      const request = (own: object) =>
        library().app.inject({
          method: 'POST',
          url: '/books/?_import=',
          headers: { ...headers, ...multipartHeaders, ...own },
          payload: body,
        })
      assert.equal((await request({ 'x-user': 'nobody' })).statusCode, 401)
      assert.equal((await request({ 'sec-fetch-site': 'cross-site' })).statusCode, 400)
      assert.deepEqual(await list(), [])
    })

    test('SVC-7: what a list sends as a file comes back unchanged', async () => {
      const row = {
        ...bookRow,
        title: '=A1',
        summary: 'a;b "c"\nd',
        translator_id: author,
        published: '2026-11-28T09:30:00.000000Z',
      }
      await library().insert('books', [row])
      const before = await list()
      for (const format of ['csv', 'xlsx']) {
        const { rawPayload } = await library().app.inject({ url: `/books/?format=${format}&search=`, headers })
        const page = await upload(rawPayload, `books.${format}`)
        const done = await send(page.text, { _run: 'all' })
        assert.match(done.text, /0 created, 1 changed\./, format)
        assert.deepEqual(await list(), before)
      }
    })
  },
)

onEachDatabase(
  () => ({
    authentication: [userScheme],
    pagination: pageNumber(),
    renderers,
    rowsPerRequest: 2000,
    resources: [books, authors, tags],
  }),
  library => {
    const headers = { ...asUser('ann').headers, accept: 'text/html', 'sec-fetch-site': 'same-origin' }
    const post = async (...parts: readonly Buffer[]) => {
      const request = { method: 'POST', url: '/books/?_import=', headers: { ...headers, ...multipartHeaders } } as const
      const response = await library().app.inject({ ...request, payload: multipartBody(...parts) })
      assert.ok(response.statusCode === 200 || response.statusCode === 400, response.payload)
      return toReadableText(response.payload)
    }
    // The fields of the form of a page, and the button that sends it.
    const press = (page: string, button: Readonly<Record<string, string>> = {}) => {
      const hidden = [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
      const selected = [...page.matchAll(/<select id="[^"]*" name="([^"]*)">.*?<option value="([^"]*)" selected>/gs)]
      const fields = [...hidden, ...selected].map(([, name, value]) => [name!, value!] as const)
      return post(...[...fields, ...Object.entries(button)].map(([name, value]) => fieldPart(name, value)))
    }
    const line = (index: number) => `Book ${index},${index + 1},${String(index % 1100).padStart(10, '0')}\n`
    const preview = (count: number) => {
      const lines = Array.from({ length: count }, (_, index) => line(index))
      return post(filePart('file', 'books.csv', `title,pages,isbn\n${lines.join('')}`))
    }
    const count = async () => (await library().rows('books')).length

    beforeEach(() => library().database.transaction(({ kysely }) => kysely.deleteFrom('books').execute()))

    test('SVC-7: an import of many rows runs in parts, and the page between them says how many rows are done', async () => {
      const first = await press(await preview(1099), { _run: 'good' })
      assert.match(
        first,
        /500 of 1,099 rows are done: 45%\..*<progress value="500" max="1099" aria-label="500 of 1,099/s,
      )
      assert.match(first, /If you stop, 599 rows are not imported\./)
      assert.doesNotMatch(first, /data-last/)
      assert.equal(await count(), 500)
      const second = await press(first)
      assert.match(second, /1,000 of 1,099 rows are done: 90%\.<.*data-last/s)
      const done = await press(second)
      assert.match(done, /1,099 created, 0 changed\..*Undo: delete what was created \(1,099\)/s)
      assert.doesNotMatch(done, /not imported/)
      assert.equal(await count(), 1099)
    })

    test('SVC-7: all rows or none are one transaction, however many they are', async () => {
      assert.match(await preview(1099), /value="all">.*value="good">Import in parts, and show how many are done</s)
      assert.doesNotMatch(await preview(500), /Import in parts/)
      // Another person takes a number of the last part after the preview.
      const page = await preview(1099)
      await library().insert('books', [{ ...bookRow, isbn: '0000001098' }])
      await press(page, { _run: 'all' })
      assert.equal(await count(), 1)
      await library().database.transaction(({ kysely }) => kysely.deleteFrom('books').execute())
      assert.match(await press(page, { _run: 'all' }), /1,099 created, 0 changed\./)
      assert.equal(await count(), 1099)
    })

    test('SVC-7: the result of the parts has the rows that were refused, with their errors', async () => {
      let page = await press(await preview(1102), { _run: 'good' })
      while (page.includes('data-continue')) page = await press(page)
      assert.match(page, /1,100 created, 0 changed\..*Rows that were not imported: 2/s)
      assert.match(page, /<th scope="row">1102<\/th>.*<p class="error">Taken\.<\/p>/s)
    })

    test('SVC-7: a person stops an import between its parts, and the result says what was done and what was not', async () => {
      const stopped = await press(await press(await preview(600), { _run: 'good' }), { _stop: '1' })
      assert.match(stopped, /500 created, 0 changed\..*Rows that were not imported: 100.*<th scope="row">502<\/th>/s)
      assert.equal(await count(), 500)
    })
  },
)

// An archive with one deflated part, whose directory says nothing true about its size.
function zip(name: string, content: Buffer): Buffer {
  const data = deflateRawSync(content)
  const local = Buffer.alloc(30)
  local.write('PK\x03\x04', 'latin1')
  local.writeUInt16LE(8, 8)
  local.writeUInt16LE(name.length, 26)
  const entry = Buffer.alloc(46)
  entry.write('PK\x01\x02', 'latin1')
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(data.length, 20)
  entry.writeUInt32LE(10, 24)
  entry.writeUInt16LE(name.length, 28)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(46 + name.length, 12)
  end.writeUInt32LE(30 + name.length + data.length, 16)
  return Buffer.concat([local, Buffer.from(name), data, entry, Buffer.from(name), end])
}
