// Forms and filters of pages select related objects by name.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  hyperlinkedIdentity,
  jsonRenderer,
  key,
  type Permission,
  related,
  resource,
  text,
  via,
} from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { bookFields, bookRow, libraryMigrations } from '../support/library.ts'
import { asUser, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const staffSeeAll: Permission = {
  allows: ({ user }) => user.isAuthenticated,
  filter: {
    where: ({ column, value }) => sql`${column('name')} not like 'Hidden%' or cast(${value('isStaff')} as boolean)`,
    values: ({ user }) => ({ isStaff: user.isStaff }),
  },
}

const authors = resource('authors', {
  table: 'authors',
  objectName: 'name',
  permissions: [staffSeeAll],
  fields: { url: hyperlinkedIdentity(), name: text({ unique: 'This name is taken.' }) },
})

const tags = resource('tags', {
  table: 'tags',
  objectName: 'name',
  fields: { id: key(), name: text({ unique: 'This name is taken.' }) },
})

const named = resource('books', {
  table: 'books',
  fields: {
    ...bookFields,
    author: related(authors, { nullable: true, form: 'url' }),
    translator: related(authors, { nullable: true }),
    tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' }, default: [] }),
    editors: related(authors, {
      many: { table: 'book_editors', own: 'book_id', other: 'author_id' },
      default: [],
      by: 'name',
    }),
  },
  filters: { author: true, tags: ['exact', 'in'], pages: ['gte', 'lte'], published: ['gte', 'lte'], in_print: true },
  strict: true,
})

const signed = resource('signed', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { id: key(), title: text(), signature: text({ source: via('author_id', 'authors', 'name') }) },
})

const host = 'http://localhost'
const hostile = '<b>"x"</b> & مرحبا 🚀'
const long = 'x'.repeat(10_000)

onEachDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    authentication: [userScheme],
    resources: [named, authors, tags, signed],
  }),
  api => {
    const ids: Record<string, number> = {}
    before(async () => {
      const names = ['Zoe', 'Ada', 'Hidden Hal', hostile, long]
      const found = await api().insert(
        'authors',
        names.map(name => ({ name })),
      )
      for (const [index, name] of names.entries()) ids[name] = found[index]!
      const many = Array.from({ length: 230 }, (_, index) => ({ name: `tag ${index}` }))
      const tagIds = await api().insert('tags', [{ name: '100% wool' }, { name: '1000 wool' }, ...many])
      ids.wool = tagIds[0]!
      ids.tag7 = tagIds[9]!
    })

    const read = async ({ client }: LibraryApi, path: string, name: 'ann' | 'sue' | null = 'ann') => {
      const { headers } = name === null ? { headers: {} } : asUser(name)
      return toReadableText((await client.get(path, { headers: { ...headers, accept: 'text/html' } })).text)
    }
    const findSelect = (page: string, id: string) =>
      new RegExp(`<select id="${id}"[^>]*>.*?</select>`).exec(page)?.[0] ?? ''
    const listNames = (html: string) => [...html.matchAll(/<option [^>]*>([^<]*)</g)].map(([, name]) => name)

    test('SVC-7: a relation offers the objects that the caller may list, sorted by name, with the values of bodies', async () => {
      const page = await read(api(), '/books/?new')
      const url = (name: string) => `${host}/authors/${ids[name]}/`
      assert.match(findSelect(page, 'post-author'), new RegExp(`<option value="${url('Ada')}" >Ada</option>`))
      assert.match(findSelect(page, 'post-translator'), new RegExp(`<option value="${ids.Ada}" >Ada</option>`))
      assert.match(findSelect(page, 'post-editors'), /<option value="Ada" >Ada<\/option>/)
      const names = listNames(findSelect(page, 'post-author').replace(hostile, 'hostile'))
      assert.deepEqual(names, ['', 'hostile', 'Ada', `${'x'.repeat(80)}…`, 'Zoe'])
      assert.ok(!page.includes(`>${long}`) && !page.includes(`${host}/authors/${ids['Hidden Hal']}/`), 'hidden or long')
      assert.match(findSelect(await read(api(), '/books/?new', 'sue'), 'post-translator'), />Hidden Hal</)
    })

    test('SVC-7: a caller who may not list the objects gets an input for their keys', async () => {
      const page = await read(api(), '/books/?new', null)
      assert.equal(findSelect(page, 'post-author'), '')
      assert.match(page, /<input type="text" value="" id="post-translator"/)
      assert.doesNotMatch(await read(api(), '/books/?_search=translator&_text=Ada', null), /Ada/)
    })

    test('SVC-7: many objects are searched: all words of a name, those first that begin with the first word', async () => {
      const search = (q: string, field = 'tags') =>
        read(api(), `/books/?${new URLSearchParams({ _search: field, _text: q })}`).then(listNames)
      assert.deepEqual(await search('22 TAG'), [
        'tag 122',
        'tag 22',
        'tag 220',
        'tag 221',
        'tag 222',
        'tag 223',
        'tag 224',
        'tag 225',
        'tag 226',
        'tag 227',
        'tag 228',
        'tag 229',
      ])
      assert.deepEqual(await search('100%'), ['100% wool'])
      assert.deepEqual(await search('wool', 'filter:tags'), ['100% wool', '1000 wool'])
      assert.equal((await search('')).length, 50)
      assert.deepEqual(await search('Hidden', 'author'), [])
      for (const field of ['title', 'shelf', 'filter:pages__gte', '__proto__'])
        assert.deepEqual(await search('a', field), [])
    })

    test('SVC-7: without JavaScript, a form searches, keeps what was typed, and creates nothing', async () => {
      const before = (await api().rows('books')).length
      assert.deepEqual(listNames(findSelect(await read(api(), '/books/?new'), 'post-tags')), [])
      const form = {
        title: 'Typed & kept',
        pages: 'no number',
        tags: String(ids.tag7),
        '_search.tags': 'wool',
      }
      const post = (path: string) =>
        api().client.post(path, {
          form,
          headers: { ...asUser('ann').headers, accept: 'text/html', origin: host },
        })
      const page = toReadableText((await post('/books/?_method=POST&_search=')).text)
      assert.match(page, /name="title"[^>]*>/)
      assert.match(page, /value="Typed & kept"/)
      assert.match(findSelect(page, 'post-tags'), new RegExp(`<option value="${ids.tag7}" selected>tag 7<`))
      assert.match(findSelect(page, 'post-tags'), new RegExp(`<option value="${ids.wool}" >100% wool<`))
      assert.match(page, /<h1[^>]*>New book<\/h1>/)
      assert.match(page, /<title>New book/)
      assert.doesNotMatch(page, /A valid integer is required/)
      assert.equal((await api().rows('books')).length, before)

      const [id] = await api().insert('books', [bookRow])
      const edited = toReadableText((await post(`/books/${id}/?_method=PATCH&_search=`)).text)
      assert.match(edited, /action="\/books\/\d+\/\?_method=PATCH"/)
      assert.match(findSelect(edited, 'patch-tags'), /<option value="\d+" selected>tag 7<.*>100% wool</)
      assert.equal((await api().rows('books')).find(row => row.id === id)!.title, bookRow.title)
    })

    test('SVC-7: filters are names, labels and ranges, and chips show names', async () => {
      const { wool, Ada } = ids
      const author = `${host}/authors/${Ada}/`
      const [id] = await api().insert('books', [{ ...bookRow, author_id: Ada, pages: 42 }])
      await api().database.transaction(({ kysely }) =>
        kysely.insertInto('book_tags').values({ book_id: id, tag_id: wool }).execute(),
      )
      const query = new URLSearchParams({ author, tags__in: `${wool},${ids.tag7}`, pages__gte: '40', in_print: 'true' })
      const page = await read(api(), `/books/?${query}`)
      assert.match(page, /<span>Author: <b>Ada<\/b><\/span>/)
      assert.match(page, /<span>Tags: <b>100% wool, tag 7<\/b><\/span>/)
      assert.match(page, /<span>In print: <b>Yes<\/b><\/span>/)
      assert.match(findSelect(page, 'list-author'), new RegExp(`<option value="${author}" selected>Ada</option>`))
      assert.deepEqual(listNames(findSelect(page, 'list-tags__in')), ['100% wool', 'tag 7'])
      assert.match(
        page,
        /<fieldset class="range"><legend>Pages<\/legend><input type="number" value="40" name="pages__gte" aria-label="Pages: from" >.*?<input type="number" value="" name="pages__lte" aria-label="Pages: to" ><\/fieldset>/,
      )
      assert.match(page, /<span>Pages: <b>at least 40<\/b><\/span>/)
      assert.deepEqual(listNames(findSelect(page, 'list-published__gte-by')), [
        'Any',
        'today',
        'yesterday',
        'last 7 days',
        'last 30 days',
        'between',
      ])
      const found = await read(api(), '/books/?_search.tags__in=wool&published__gte=2026-01-02T03:04:05Z')
      assert.match(
        found,
        /<input type="datetime-local" value="2026-01-02T03:04:05" id="list-published__gte-value" name="_value.published"/,
      )
      assert.deepEqual(listNames(findSelect(found, 'list-tags__in')), ['100% wool', '1000 wool'])
    })

    test('SVC-7: a form of filters without JavaScript leads to a URL without empty parameters', async () => {
      const query = '_search.tags=&_search.author=&author=&tags=&pages__gte=40&pages__lte=&in_print='
      const headers = { ...asUser('ann').headers, accept: 'text/html' }
      const { status, headers: sent } = await api().client.get(`/books/?${query}`, { headers })
      assert.deepEqual([status, sent.location], [303, '/books/?pages__gte=40'])
    })

    test('SVC-7: a unique column of another table is a link to its object, for callers who may open it', async () => {
      const rows = [ids.Ada, ids['Hidden Hal'], null].map(author_id => ({ ...bookRow, author_id }))
      const [seen] = await api().insert('books', rows)
      const link = (name: string) => `<a href="/authors/${ids[name]}/">${name}</a>`
      const ann = await read(api(), '/signed/')
      assert.ok(ann.includes(`<td>${link('Ada')}</td>`) && !ann.includes('Hidden Hal'))
      assert.ok((await read(api(), '/signed/', 'sue')).includes(`<td>${link('Hidden Hal')}</td>`))
      assert.match(await read(api(), '/signed/', null), /<td>Ada<\/td>/)
      assert.ok((await read(api(), `/signed/${seen}/`)).includes(`<dd>${link('Ada')}</dd>`))
    })

    test('SVC-7: the names follow the next commit', async () => {
      const [id] = await api().insert('authors', [{ name: 'New author' }])
      const offers = async () => listNames(findSelect(await read(api(), '/books/?new'), 'post-author'))
      assert.ok((await offers()).includes('New author'))
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('authors').where('id', '=', id!).execute())
      assert.ok(!(await offers()).includes('New author'))
    })
  },
)

const titles = resource('titles', {
  table: 'books',
  actions: ['list', 'retrieve'],
  objectName: 'title',
  fields: { id: key(), title: text() },
})

onEachDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    resources: [
      titles,
      resource('reviews', {
        table: 'reviews',
        fields: { id: key(), book: related(titles), link: related(titles, { form: 'url' }) },
      }),
    ],
  }),
  api => {
    test('SVC-7: options with the same name end with the key, in forms and in searches', async () => {
      const row = (title: string) => ({ ...bookRow, title })
      const [first, second] = await api().insert('books', ['Emma', 'Emma', 'Persuasion'].map(row))
      const read = async (path: string) =>
        toReadableText((await api().client.get(path, { headers: { accept: 'text/html' } })).text)
      const listNames = (html: string) => [...html.matchAll(/<option [^>]*>([^<]+)</g)].map(([, name]) => name)
      const expected = [`Emma (${first})`, `Emma (${second})`, 'Persuasion']
      const page = await read('/reviews/?new')
      for (const field of ['book', 'link'])
        assert.deepEqual(listNames(new RegExp(`<select id="post-${field}".*?</select>`).exec(page)![0]), expected)
      await api().insert(
        'books',
        Array.from({ length: 230 }, (_, index) => row(`Volume ${index}`)),
      )
      assert.deepEqual(listNames(await read('/reviews/?_search=book&_text=emma')), expected.slice(0, 2))
      assert.deepEqual(listNames(await read('/reviews/?_search=link&_text=pers')), ['Persuasion'])
      const searched = await api().client.post('/reviews/?_method=POST&_search=', {
        form: { '_search.book': 'emma' },
        headers: { accept: 'text/html', origin: host },
      })
      const select = /<select id="post-book".*?<\/select>/.exec(toReadableText(searched.text))![0]
      assert.deepEqual(listNames(select), expected.slice(0, 2))
    })
  },
  {
    migrations: {
      ...libraryMigrations,
      async '0002_reviews'({ schema }, { key, reference }) {
        await schema
          .createTable('reviews')
          .addColumn('id', key)
          .addColumn('book_id', reference, column => column.notNull().references('books.id'))
          .addColumn('link_id', reference, column => column.notNull().references('books.id'))
          .execute()
      },
    },
  },
)
