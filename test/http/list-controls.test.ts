// The controls of lists: one per value with the conditions inside, the columns, and the number of rows. All are forms with GET.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  choice,
  dateTime,
  filter,
  integer,
  jsonRenderer,
  key,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { authors, bookRow } from '../support/library.ts'
import { onEitherDatabase, userScheme } from '../support/own-api.ts'

const accept = { accept: 'text/html' }

const books = resource('books', {
  table: 'books',
  objectName: 'title',
  fields: {
    id: key(),
    title: text(),
    genre: choice([
      ['novel', 'A novel'],
      ['poetry', 'Poems'],
      ['a,b', 'With a comma'],
    ]),
    pages: integer(),
    published: dateTime({ nullable: true }),
    author: related(authors, { nullable: true, shows: 'key' }),
    in_print: boolean(),
    secret: text({ nullable: true, visible: ({ user }) => user.isAuthenticated }),
  },
  filters: {
    genre: ['exact', 'in', 'not', 'not__in'],
    author: ['exact', 'isnull'],
    pages: ['exact', 'gte', 'lte', 'isnull'],
    published: ['gte', 'lt', 'year'],
    title: ['icontains', 'not__icontains', 'regex'],
    in_print: true,
    secret: ['exact', 'isnull'],
    thick: filter(boolean(), ({ row, value }) => sql`(${row.pages} > 500) = ${value}`),
  },
  searchFields: ['title'],
  orderingFields: ['title', 'pages'],
  hookColumns: ['subtitle', 'contact'],
  prepare: () => ({ subtitle: '', contact: '' }),
})

onEitherDatabase(
  () => ({
    resources: [authors, books],
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    pagination: pageNumber({ pageSize: 2, pageSizeQueryParam: 'size', maxPageSize: 60 }),
    strict: true,
  }),
  api => {
    const get = (query: string, headers: Record<string, string> = {}) =>
      api().client.get(`/books/${query}`, { headers: { ...accept, ...headers } })
    const page = async (query: string) => toReadableText((await get(query)).text).replaceAll('&amp;', '&')
    const listTitles = (html: string) =>
      [...html.matchAll(/<th scope="row"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, title]) => title)
    const listHeadings = (html: string) =>
      [...html.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, label]) => label!.replace(/<[^>]*>/g, ''))
    const listChips = (html: string) =>
      [...html.matchAll(/<li class="chip"><span>(.*?)<\/span><a href="(.*?)"/g)].map(([, label, href]) => [
        label!.replace(/<[^>]*>/g, ''),
        href,
      ])
    /** Follows the redirect of a form. */
    const submit = async (fields: Record<string, string | readonly string[]>) => {
      const query = new URLSearchParams(
        Object.entries(fields).flatMap(([name, values]) =>
          [values].flat().map((value): [string, string] => [name, value]),
        ),
      )
      const { status, headers } = await get(`?${query}`)
      assert.equal(status, 303)
      return decodeURIComponent(String(headers.location)).slice('/books/'.length)
    }

    before(async () => {
      const { insert } = api()
      await insert('authors', [{ name: 'Woolf' }, { name: 'Rilke' }])
      const today = new Date().toISOString().slice(0, 10)
      const row = { ...bookRow, pages: 100 }
      await insert('books', [
        { ...row, title: 'Orlando', genre: 'novel', author_id: 1, published: `${today}T00:00:00.000000Z` },
        { ...row, title: 'Elegies', genre: 'poetry', author_id: 2, published: '2020-05-06T07:08:00.000000Z' },
        { ...row, title: 'Odd', genre: 'a,b', pages: 600, author_id: null, published: null },
      ])
    })

    test('SVC-7: a value has one control, and its condition decides the parameter', async () => {
      const meant = async (...fields: Parameters<typeof submit>) => submit(...fields)
      assert.equal(await meant({ '_by.genre': 'is', '_value.genre': 'novel' }), '?genre=novel')
      assert.equal(
        await meant({ '_by.genre': 'is', '_value.genre': ['novel', 'a,b'] }),
        '?genre__in=novel&genre__in="a,b"',
      )
      assert.equal(await meant({ '_by.genre': 'not', '_value.genre': 'novel' }), '?genre__not=novel')
      assert.equal(await meant({ '_by.author': 'empty', '_value.author': '1' }), '?author__isnull=true')
      assert.equal(
        await meant({ '_by.pages': 'between', '_value.pages': '1', '_to.pages': '9' }),
        '?pages__gte=1&pages__lte=9',
      )
      assert.equal(await meant({ '_by.pages': 'between', '_to.pages': '9' }), '?pages__lte=9')
      assert.equal(
        await meant({ '_by.title': 'not__icontains', '_value.title': 'o', search: 'x', in_print: '' }),
        '?search=x&title__not__icontains=o',
      )
    })

    test('SVC-7: the form shows what the URL filters, and the list has those rows', async () => {
      for (const [query, titles, chip] of [
        ['?genre__in=novel&genre__in="a,b"', ['Orlando', 'Odd'], 'Genre: A novel, With a comma'],
        ['?genre=poetry', ['Elegies'], 'Genre: Poems'],
        ['?genre__not=novel', ['Elegies', 'Odd'], 'Genre: is not: Poems'],
        ['?author=2', ['Elegies'], 'Author: Rilke'],
        ['?author__isnull=true', ['Odd'], 'Author: is empty'],
        ['?pages__gte=500&pages__lte=700', ['Odd'], 'Pages: 500 – 700'],
        ['?title__icontains=OD', ['Odd'], 'Title: contains, in any case: OD'],
        ['?title__regex=^O.*d', ['Orlando', 'Odd'], 'Title: matches the regular expression: ^O.*d'],
        ['?thick=true', ['Odd'], 'Thick: Yes'],
        ['?published__year=2020', ['Elegies'], 'Published: in the year: 2020'],
        ['?published__lt=2021-01-01T00:00:00Z', ['Elegies'], 'Published: at most 2021-01-01 00:00'],
      ] as const) {
        const html = await page(query)
        assert.deepEqual(listTitles(html), titles, query)
        const expected = query.startsWith('?genre__not') ? 'Genre: is not: A novel' : chip
        assert.deepEqual(listChips(html), [[expected, '/books/']], query)
      }
      const form = await page('?genre__in=novel&genre__in="a,b"')
      assert.match(form, /<option value="is" data-inputs="1" selected>is</)
      assert.match(
        form,
        /<option value="novel" selected>A novel<.*<option value="poetry" >Poems<.*value="a,b" selected/,
      )
    })

    test('SVC-7: two conditions on one value are two chips, and the form keeps both', async () => {
      const html = await page('?genre=novel&genre__not=poetry')
      assert.deepEqual(listChips(html), [
        ['Genre: A novel', '/books/?genre__not=poetry'],
        ['Genre: is not: Poems', '/books/?genre=novel'],
      ])
      assert.match(html, /<input type="hidden" name="genre__not" value="poetry">/)
    })

    test('SVC-7: a time is filtered by named ranges of days', async () => {
      const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
      const today = await submit({ '_by.published': 'today' })
      assert.equal(today, `?published__gte=${day(0)}T00:00:00Z&published__lt=${day(1)}T00:00:00Z`)
      const html = await page(today)
      assert.deepEqual([listTitles(html), listChips(html)], [['Orlando'], [['Published: today', '/books/']]])
      assert.match(html, /<option value="today" data-inputs="0" selected>today</)
      assert.equal(
        await submit({ '_by.published': 'yesterday' }),
        `?published__gte=${day(-1)}T00:00:00Z&published__lt=${day(0)}T00:00:00Z`,
      )
      assert.equal(
        await submit({ '_by.published': 'last_7_days' }),
        `?published__gte=${day(-6)}T00:00:00Z&published__lt=${day(1)}T00:00:00Z`,
      )
    })

    test('SVC-7: five controls are shown, those that filter among them, and the others are behind a button', async () => {
      const listShown = (html: string) => {
        const [shown, others = ''] = html.split('<details class="menu more-filters">')
        const names = (part: string) => [
          ...part.matchAll(/name="(?:_by\.)?(genre|author|pages|published|published__year|title|in_print|thick)"/g),
        ]
        return [shown!, others].map(part => names(part).map(([, name]) => name))
      }
      assert.deepEqual(listShown(await page('')), [
        ['genre', 'author', 'pages', 'published', 'published__year'],
        ['title', 'in_print', 'thick'],
      ])
      assert.deepEqual(listShown(await page('?thick=true&title__icontains=o')), [
        ['genre', 'author', 'pages', 'title', 'thick'],
        ['published', 'published__year', 'in_print'],
      ])
    })

    test('SVC-7: a person chooses the columns and the number of rows', async () => {
      assert.deepEqual(listHeadings(await page('')), ['Title', 'Genre', 'Pages', 'Published', 'Author', 'In print'])
      const chosen = await submit({ _columns: ['pages', 'genre'], size: '' })
      assert.equal(chosen, '?_columns=pages,genre')
      assert.deepEqual(listHeadings(await page(chosen)), ['Title', 'Pages', 'Genre'])
      // The usual columns need no parameter.
      assert.equal(await submit({ _columns: ['genre', 'pages', 'published', 'author', 'in_print'] }), '')
      assert.equal((await get('?_columns=pages,genre')).status, 200)
      assert.equal(listTitles(await page('?size=20')).length, 3)
      const form = await page('?size=20')
      assert.deepEqual(
        [...form.matchAll(/<option value="(\d+)" (?:selected)?>\1</g)].map(([, size]) => size),
        ['10', '20', '50'],
      )
    })

    test('SVC-7: a column and a condition that do not exist are named or left out, and a wrong value has its error', async () => {
      const html = await page('?_columns=pages,price')
      assert.match(html, /has no such columns, and ignores them: <code>price<\/code>/)
      assert.deepEqual(listHeadings(html), ['Title', 'Pages'])
      assert.equal(await submit({ '_by.genre': 'wrong', '_value.genre': 'x' }), '')
      assert.equal(await submit({ '_by.price': 'is', '_value.price': 'x' }), '')
      const wrong = await get('?pages__gte=many')
      assert.equal(wrong.status, 400)
      assert.match(wrong.text, /value="many" id="list-pages" name="_value.pages"[^>]*aria-invalid="true"/)
      const quotes = await get('?genre__in=%22x')
      assert.equal(quotes.status, 400)
      // JSON has no such parameters.
      const json = await api().client.get('/books/?_by.genre=is&_value.genre=novel')
      assert.equal(json.status, 400)
    })

    test('SVC-7: a caller without the field gets no control for it, and a form cannot tell that it exists', async () => {
      assert.doesNotMatch(await page(''), /secret/)
      assert.equal(await submit({ '_by.secret': 'is', '_value.secret': 'x' }), '')
      const staff = await get('?_by.secret=is&_value.secret=x', { 'x-user': 'ann' })
      assert.equal(staff.headers.location, '/books/?secret=x')
    })
  },
)
