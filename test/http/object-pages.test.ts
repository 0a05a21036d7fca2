// The pages of objects for callers who may not change them, and the related objects on the page of an object.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  date,
  dateTime,
  decimal,
  email,
  german,
  integer,
  jsonRenderer,
  key,
  object,
  type Permission,
  related,
  resource,
  text,
  url,
  view,
} from 'resource-api'
import { bookRow } from '../support/library.ts'
import { asUser, onEitherDatabase, people, userScheme } from '../support/own-api.ts'

const staffOnly: Permission = { allows: ({ user }) => Object(user).isStaff === true }
const ownRows: Permission = {
  filter: {
    where: ({ column, value }) => sql`${column('owner_id')} = ${value('caller')}`,
    values: async ({ user }) => ({ caller: (user as { readonly id: number }).id }),
  },
}

const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  objectName: 'name',
  pages: { groups: { Names: ['name'] } },
  perAction: {
    create: { permissions: [staffOnly] },
    update: { permissions: [staffOnly] },
    destroy: { permissions: [staffOnly] },
  },
})
const writers = resource('writers', {
  table: 'authors',
  actions: ['list', 'retrieve'],
  fields: { name: text() },
  objectName: 'name',
})
const bookFields = {
  id: key(),
  title: text(),
  summary: text({ multiline: true, nullable: true }),
  pages: integer(),
  published: dateTime({ nullable: true }),
  author: related(authors, { nullable: true }),
  translator: related(authors, { nullable: true }),
}
const books = resource('books', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: bookFields,
  objectName: 'title',
  ordering: ['title'],
  filters: { author: true, translator: true, pages: ['gt'] },
  pages: { groups: { People: ['author', 'translator'], Story: ['summary'] } },
})
const novels = resource('novels', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { id: key(), title: text(), writer: related(writers, { column: 'author_id', nullable: true }) },
  filters: { writer: true },
})
const drafts = resource('drafts', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { id: key(), title: text(), author: related(authors, { nullable: true }) },
  permissions: [staffOnly],
  filters: { author: ['exact', 'not'] },
})
const owned = resource('owned', {
  table: 'books',
  actions: ['list', 'retrieve'],
  fields: { id: key(), title: text(), author: related(authors, { nullable: true }) },
  objectName: 'title',
  permissions: [ownRows],
  filters: { author: true },
})

const summary = view({
  name: 'Summary',
  response: {
    day: date(),
    price: decimal({ maxDigits: 8, decimalPlaces: 2 }),
    contact: email(),
    site: url(),
    size: object({ fields: { width: integer(), note: text() } }),
  },
  handlers: {
    GET: () => ({
      ...{ day: '2026-03-06', price: '12345.50', contact: 'a@example.org', site: 'https://example.org/' },
      size: { width: 2, note: '<b>javascript:alert(1)' },
    }),
  },
})
const undeclared = {
  name: 'Undeclared',
  handlers: {
    GET: () => ({
      status: 200,
      body: {
        link: 'javascript:alert(1)',
        none: null,
        flags: [true, false],
        rows: [{ id: 1, note: 'a' }, { note: '<i>' }],
      },
    }),
  },
}

const accept = { accept: 'text/html' }
const readable = (page: string) =>
  page.replaceAll('&#61;', '=').replaceAll('&#39;', "'").replaceAll('&#34;', '"').replaceAll('&#38;', '&')

/** The labels and values of the description list. */
const listDetails = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd><\/div>\n/gs)].map(([, name, value]) => [name, value]),
  )

const findRelated = (page: string) =>
  [...page.matchAll(/<section class="related".*?<\/section>/gs)].map(([html]) => html)
const listNames = (html: string) => [...html.matchAll(/<th scope="row">(?:<a [^>]*>)?([^<]*)/g)].map(([, name]) => name)

const statements: string[] = []

onEitherDatabase(
  () => ({
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    languages: { de: german },
    resources: [authors, books, drafts, owned, writers, novels],
    views: { '/summary/': summary, '/undeclared/': undeclared },
  }),
  api => {
    let authorId: number
    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['books', 'authors']) await kysely.deleteFrom(name).execute()
      })
      authorId = (await api().insert('authors', [{ name: 'Jane <b>' }]))[0]!
    })

    const open = async (path: string, { as, language = 'en' }: { as?: 'ann' | 'sue'; language?: string } = {}) => {
      const headers = { ...accept, 'accept-language': language, ...(as && asUser(as).headers) }
      return readable((await api().client.get(path, { headers })).text)
    }

    const insertBooks = (rows: readonly object[]) => {
      const in_print = api().database.dialect.name === 'sqlite' ? 1 : true
      return api().insert(
        'books',
        rows.map(row => ({ ...bookRow, in_print, ...row })),
      )
    }

    test('SVC-7: readers see labels and values, related objects by name, and the JSON beside them', async () => {
      const [id] = await insertBooks([
        {
          title: 'Emma',
          summary: 'One\n</pre><script>',
          pages: 12345,
          published: '2026-03-06T21:30:00.000000Z',
          author_id: authorId,
        },
      ])
      const page = await open(`/books/${id}/`)
      assert.deepEqual(listDetails(page), {
        Title: '<bdi>Emma</bdi>',
        Summary: '<pre class="text" dir="auto" tabindex="0">\nOne\n&lt;/pre&gt;&lt;script&gt;</pre>',
        Pages: '12,345',
        Published: '<time datetime="2026-03-06T21:30:00Z" title="2026-03-06 21:30:00 UTC">6 Mar 2026, 21:30 UTC</time>',
        Author: `<a href="/authors/${authorId}/">Jane &#60;b&#62;</a>`,
        Translator: '<span class="none">&ndash;</span>',
      })
      assert.ok(page.indexOf('class="details"') < page.indexOf('<details class="panel"'))
      assert.ok(page.indexOf('class="response"') > page.indexOf('<details class="panel"'))
    })

    test('SVC-7: numbers, dates and words are in the language of the reader', async () => {
      const [id] = await insertBooks([{ title: 'Emma', pages: 12345, published: '2026-03-06T21:30:00.000000Z' }])
      const { Pages, Published } = listDetails(await open(`/books/${id}/`, { language: 'de' }))
      assert.equal(Pages, '12.345')
      assert.match(Published!, />06\.03\.2026, 21:30 UTC</)
      assert.match(await open('/books/', { language: 'de' }), />12\.345<.*>06\.03\.2026, 21:30 UTC</)
    })

    test('SVC-7: declared views show their values by type; others as text that is never a link', async () => {
      const declared = listDetails(await open('/summary/'))
      assert.deepEqual(declared, {
        Day: '<time datetime="2026-03-06">6 Mar 2026</time>',
        Price: '12,345.50',
        Contact: '<a href="mailto:a@example.org">a@example.org</a>',
        Site: '<a href="https://example.org/">https://example.org/</a>',
        Size: '<dl class="details"><div><dt>Width</dt><dd>2',
        Note: '<bdi>&#60;b&#62;javascript:alert(1)</bdi>',
      })
      const page = await open('/undeclared/')
      const details = listDetails(page)
      assert.equal(details.Link, '<bdi>javascript:alert(1)</bdi>')
      assert.equal(details.Flags, '<ul class="values"><li>Yes</li><li>No</li></ul>')
      assert.match(page, /<th scope="col">Note<\/th><\/tr><\/thead><tbody><tr><td>1<\/td><td>a<\/td><\/tr>/)
      assert.match(page, /<td>&ndash;<\/td><td>&#60;i&#62;<\/td>/)
    })

    test('SVC-7: a long text is cut on the page, which stays small', async () => {
      const [id] = await insertBooks([{ title: 'x'.repeat(10_000), summary: '<"&'.repeat(100_000) }])
      const page = (await api().client.get(`/books/${id}/`, { headers: accept })).text
      assert.ok(page.length < 80_000, String(page.length))
      assert.match(page, /The text is longer/)
    })

    test('SVC-7: the page of an object shows the first objects of each list that refers to it', async () => {
      await insertBooks(['a', 'b', 'c', 'd', 'e', 'f'].map(title => ({ title, author_id: authorId })))
      await insertBooks([{ title: 'g', translator_id: authorId }, { title: 'h' }])
      const page = await open(`/authors/${authorId}/`)
      const [byAuthor, byTranslator] = findRelated(page)
      assert.match(
        byAuthor!,
        new RegExp(`<h2 [^>]*>Books \\(Author\\) <a href="/books/\\?author=${authorId}">all 6</a></h2>`),
      )
      assert.deepEqual(listNames(byAuthor!), ['a', 'b', 'c', 'd', 'e'])
      assert.match(byTranslator!, />Books \(Translator\) <a [^>]*>all 1</)
      assert.deepEqual(listNames(byTranslator!), ['g'])
      assert.equal(findRelated(page).length, 2)
    })

    test('SVC-7: a list below an object names further related objects, and leaves out the object of the page', async () => {
      const [other] = await api().insert('authors', [{ name: 'Ann' }])
      await insertBooks([{ title: 'a', author_id: authorId, translator_id: other }])
      const [byAuthor] = findRelated(await open(`/authors/${authorId}/`))
      const headings = [...byAuthor!.matchAll(/<th scope="col"[^>]*>([^<]*)/g)].map(([, heading]) => heading)
      assert.deepEqual(headings, ['Title', 'Pages', 'Published', 'Translator'])
      assert.ok(byAuthor!.includes(`<td><a href="/authors/${other}/">Ann</a></td>`), byAuthor)
    })

    test('SVC-7: an object that does not show its key has the lists that refer to it, too', async () => {
      await insertBooks([{ title: 'a', author_id: authorId }])
      const [novelsHtml = ''] = findRelated(await open(`/writers/${authorId}/`))
      assert.match(novelsHtml, new RegExp(`<a href="/novels/\\?writer=${authorId}">all 1</a>`))
    })

    test('SVC-7: related objects are those that the caller may list, also behind a row filter', async () => {
      await insertBooks([
        { title: 'of ann', author_id: authorId, owner_id: people.ann.id },
        { title: 'of sue', author_id: authorId, owner_id: people.sue.id },
      ])
      const ofAnn = findRelated(await open(`/authors/${authorId}/`, { as: 'ann' }))
      assert.deepEqual(ofAnn.map(listNames), [['of ann', 'of sue'], ['of ann']])
      assert.match(ofAnn[1]!, />Owned <a [^>]*>all 1</)
      const ofSue = findRelated(await open(`/authors/${authorId}/`, { as: 'sue' }))
      assert.deepEqual(
        ofSue.map(section => />(\w+) ?[^<]*<a/.exec(section)![1]),
        ['Books', 'Drafts', 'Owned'],
      )
      assert.deepEqual(listNames(ofSue[2]!), ['of sue'])
    })

    test('SVC-7: each related list costs one statement', async () => {
      await insertBooks([{ title: 'a', author_id: authorId, translator_id: authorId }])
      statements.length = 0
      await open(`/authors/${authorId}/`)
      assert.equal(statements.filter(statement => /from "books"/.test(statement)).length, 3)
    })

    test('SVC-7: declared groups of fields are sections of objects and fieldsets of forms', async () => {
      const [id] = await insertBooks([{ title: 'Emma', author_id: authorId }])
      const page = await open(`/books/${id}/`)
      const sections = [...page.matchAll(/(?:<h2>(\w+)<\/h2>)?<dl class="details">(.*?)<\/dl>/gs)]
      const labels = sections.map(([, heading, dl]) => [
        heading,
        [...dl!.matchAll(/<dt>(\w+)/g)].map(([, label]) => label),
      ])
      assert.deepEqual(labels, [
        [undefined, ['Title', 'Pages', 'Published']],
        ['People', ['Author', 'Translator']],
        ['Story', ['Summary']],
      ])
      const form = /<fieldset class="group"><legend>Names<\/legend>\n<div class="field" data-field="name">/
      assert.match(await open('/authors/?new', { as: 'sue' }), form)
      assert.match(await open(`/authors/${authorId}/`, { as: 'sue' }), form)
    })

    test('a group with an unknown field, or with a field of another group, is an error at start', () => {
      const declare = (groups: object) => () =>
        resource('books', { table: 'books', fields: { id: key(), title: text() }, pages: { groups } as never })
      assert.throws(declare({ Names: ['titel'] }), {
        message: 'resource "books": pages.groups: "Names": there is no field "titel": write "title"',
      })
      assert.throws(
        declare({ Names: ['title'], More: ['title'] }),
        /"More": field "title" is in the group "Names" already/,
      )
      assert.throws(declare({ Names: 'title' }), /"Names" must be a list: write \["title"\]/)
      assert.throws(declare({ names: { title: 'Names', fields: ['titel'] } }), /"names": there is no field "titel"/)
    })

    test('SVC-7: an empty list says what was searched, and leads on', async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('authors').execute() as never)
      const none = await open('/authors/', { as: 'sue' })
      assert.match(none, /There are no authors yet\..*<a class="button primary" href="\/authors\/\?new">New author</s)
      assert.doesNotMatch(none, /<form method="post"/)
      const filtered = await open('/books/?author=1&pages__gt=3')
      assert.match(filtered, /No books match these filters\..*<a class="button" href="\/books\/">Clear filters</s)
      assert.doesNotMatch(filtered, /New book/)
    })
  },
  { observe: statement => void statements.push(statement) },
)
