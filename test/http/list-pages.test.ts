// The pages of lists: the filter form without JavaScript, the table of objects; and the home page.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  choice,
  computed,
  integer,
  jsonRenderer,
  key,
  type Permission,
  pageNumber,
  related,
  resource,
  text,
} from 'resource-api'
import { createPeople, type People } from '../support/administration.ts'
import { authors, bookRow } from '../support/library.ts'
import { asUser, onEitherDatabase, userScheme } from '../support/own-api.ts'
import { onEitherService } from '../support/service.ts'

const accept = { accept: 'text/html' }
const users = '/admin/users/'

/** Replaces character references that the template writes and HTML does not need. */
const readable = (text: string) => text.replaceAll('&#61;', '=').replaceAll('&#39;', "'").replaceAll('&#38;', '&amp;')

const findForm = (page: string) => /<form class="filters".*?<\/form>/s.exec(page)?.[0] ?? ''
const findTable = (page: string) => /<table>.*?<\/table>/s.exec(page)?.[0] ?? ''
const listNames = (page: string) =>
  [...findTable(page).matchAll(/<th scope="row">.*?>([^<]*)<\/a>/g)].map(([, name]) => name)

/** The contents of the cells of the first row, without its heading. */
const listCells = (page: string) => [...findTable(page).matchAll(/<td[^>]*>(.*?)<\/td>/g)].map(([, cell]) => cell)

suite('the administration', () => {
  onEitherService({}, service => {
    let people: People
    beforeEach(async () => {
      people = await createPeople(service())
    })

    const page = async (path: string, token = people.root.key) =>
      readable((await service().client.get(path, { token, headers: accept })).text)

    test('SVC-7: a form searches, filters and orders a list, and keeps other query parameters', async () => {
      const form = findForm(await page(`${users}?search=a&is_staff=false&ordering=-username&lang=en`))
      assert.match(form, /method="get" action="\/admin\/users\/"/)
      assert.match(form, /<input id="list-search" type="search" name="search" value="a" placeholder="Username, Email">/)
      assert.match(
        form,
        /name="is_staff" ><option value="" >Any<\/option><option value="true" >Yes<\/option><option value="false" selected>No</,
      )
      assert.match(form, /<option value="-username" selected>Username, descending</)
      assert.match(form, /<input type="hidden" name="lang" value="en">/)
      assert.match(form, /<a class="button" href="\/admin\/users\/\?lang=en">Clear</)
      assert.deepEqual(listNames(await page(`${users}?search=a&is_staff=false&ordering=-username`)), ['pam', 'ann'])
    })

    test('SVC-7: a list that is requested again shows what has changed, and each caller sees an own page', async () => {
      const thrice = async (token: string) => [
        await page(users, token),
        await page(users, token),
        await page(users, token),
      ]
      const [first, ...again] = await thrice(people.root.key)
      assert.deepEqual(again, [first, first])
      const [other] = await thrice(people.stan.key)
      assert.notEqual(other, first)
      assert.equal(await page(users), first)
      const change = { token: people.root.key, json: { email: 'annette@example.org' } }
      const { status } = await service().client.patch(`${users}${people.ann.id}/`, change)
      assert.equal(status, 200)
      const [changed, ...kept] = await thrice(people.root.key)
      assert.match(changed!, /annette@example.org/)
      assert.deepEqual(kept, [changed, changed])
    })

    test('SVC-7: a value that is unusual stands out, and a long one is shown in full on hover', async () => {
      const email = `${'long.'.repeat(6)}address@example.org`
      await service().client.patch(`${users}${people.ann.id}/`, { json: { email }, token: people.root.key })
      const table = findTable(await page(`${users}?search=ann`))
      assert.match(table, new RegExp(`<td title="${email}">${email}</td>`))
      assert.match(table, /<td class="usual">Yes<\/td><td class="usual">No<\/td>/)
      const staff = findTable(await page(`${users}?search=sam`))
      assert.match(staff, /data-label="Staff"><span class="tag">Yes</)
    })

    test('SVC-7: an invalid filter value is rejected, and the form is still shown', async () => {
      const response = await service().client.get(`${users}?is_staff=maybe`, {
        token: people.root.key,
        headers: accept,
      })
      assert.equal(response.status, 400)
      assert.notEqual(findForm(response.text), '')
      assert.equal(findTable(response.text), '')
    })

    test('SVC-7: each row links to a page whose heading is the name of the object', async () => {
      const text = await page(users)
      assert.deepEqual(listNames(text), ['ann', 'pam', 'root', 'sam', 'stan'])
      assert.match(text, new RegExp(`<th scope="row"><a href="${users}${people.ann.id}/">ann</a>`))
      assert.match(findTable(text), /<th scope="col"\s*><a href="\/admin\/users\/\?ordering=email">Email</)
      assert.match(
        findTable(await page(`${users}?ordering=email`)),
        /aria-sort="ascending"><a href="\S+ordering=-email">/,
      )
      assert.match(
        findTable(text),
        /aria-sort="ascending"><a href="\S+ordering=-username">Username</,
        'the default order',
      )
      const order = /<select id="list-ordering".*?<\/select>/s
      assert.match(order.exec(findForm(text))![0], /<option value="" selected>Username, ascending<\/option>/)
      assert.equal(order.exec(findForm(text))![0].match(/Username, ascending/g)?.length, 1)
      const chosen = order.exec(findForm(await page(`${users}?ordering=username`)))![0]
      assert.match(chosen, /<option value="" selected>Username, ascending</)
      const instance = await page(`${users}${people.ann.id}/`)
      assert.match(instance, /<h1 dir="auto">ann<\/h1>/)
      assert.match(instance, /<title>ann /)
      const json = await service().client.get(users, { token: people.root.key })
      assert.equal(json.headers['content-type'], 'application/json')
    })

    test('SVC-7: callers who may delete can select rows', async () => {
      assert.match(
        await page(users),
        new RegExp(`<input type="checkbox" name="_selected" value="${users}${people.ann.id}/"`),
      )
      assert.doesNotMatch(await page('/admin/audit-log/'), /data-bulk/)
      assert.doesNotMatch(await page('/snippet/users/'), /data-bulk/)
    })

    test('SVC-7: the owner of a snippet is a link to the user, and its JSON the username', async () => {
      const { client } = service()
      const created = await client.post('/snippet/snippets/', { token: people.ann.key, json: { code: 'x' } })
      const { id } = created.json()
      const link = (path: string) => `<a href="${path}users/${people.ann.id}/">ann</a>`
      for (const path of ['/snippet/', '/admin/'])
        assert.ok(findTable(await page(`${path}snippets/`)).includes(`<td>${link(path)}</td>`), path)
      assert.ok((await page(`/admin/snippets/${id}/`)).includes(`<dd>${link('/admin/')}</dd>`))
      assert.equal((await client.get(`/snippet/snippets/${id}/`)).json().owner, 'ann')
    })

    test('a list links related objects by name, and its JSON has their keys', async () => {
      const text = await page(users)
      const row = /<tr>(?:(?!<\/tr>).)*>ann<.*?<\/tr>/s.exec(text)![0]
      assert.match(row, new RegExp(`<td><a href="/admin/groups/${people.readers}/">readers</a></td>`))
      const [ann] = (await service().client.get(users, { token: people.root.key })).json().results
      assert.deepEqual(ann.groups, [people.readers])
    })

    test('the active filters are chips with links that remove them, relations by name', async () => {
      const text = await page(`${users}?groups=${people.readers}&is_active=true&search=a`)
      const chips = [...text.matchAll(/<li class="chip"><span>(.*?)<\/span><a href="(.*?)"/g)].map(
        ([, label, href]) => [label!.replace(/<[^>]*>/g, ''), href],
      )
      assert.deepEqual(chips, [
        ['Groups: readers', `${users}?is_active=true&amp;search=a`],
        ['Active: Yes', `${users}?groups=${people.readers}&amp;search=a`],
        ['Search: a', `${users}?groups=${people.readers}&amp;is_active=true`],
      ])
      assert.deepEqual(listNames(text), ['ann', 'sam'])
    })

    test('a form that sends empty inputs leads to a URL without them', async () => {
      const get = (path: string) => service().client.get(path, { token: people.root.key, headers: accept })
      const response = await get(`${users}?search=a&is_staff=&ordering=&x=`)
      assert.deepEqual([response.status, response.headers.location], [303, `${users}?search=a&x=`])
      assert.equal((await get(`${users}?search=a&x=`)).status, 200)
      const json = await service().client.get(`${users}?is_staff=`, { token: people.root.key })
      assert.equal(json.status, 200)
    })

    test('a page names the parameters that are no filters of its list', async () => {
      assert.match(await page('/admin/groups/?users=1&search=e'), /ignores them: <code>users<\/code>/)
      assert.doesNotMatch(await page(`${users}?groups=1&page=1&format=api`), /ignores them/)
    })

    test('a link at the top of a list leads to the page that creates an object', async () => {
      const list = await page(users)
      assert.match(list, /<a class="button primary" href="\/admin\/users\/\?new">New user<\/a>/)
      const text = await page(`${users}?new`)
      assert.match(text, /<h1 dir="auto">New user<\/h1>/)
      assert.match(text, /<a href="\/admin\/users\/"><bdi>Users<\/bdi><\/a><\/li><\/ol>/)
      assert.match(text, /<form method="post" action="\/admin\/users\/\?new"/)
      assert.deepEqual(
        [list, text].map(html => html.includes('<div class="table list"')),
        [true, false],
      )
      assert.doesNotMatch(await page('/admin/sessions/'), /\?new/)
      assert.doesNotMatch(await page('/admin/sessions/?new'), /<h1 dir="auto">New/)
    })

    test('AUTH-SCH-2: no page of the administration contains a token, and anonymous callers see no page', async () => {
      for (const path of ['users', 'groups', 'tokens', 'sessions', 'snippets', 'audit-log']) {
        const text = await page(`/admin/${path}/`)
        assert.match(text, /<h1 /)
        assert.ok(!text.includes(people.root.key))
        const rejected = await service().client.get(`/admin/${path}/`, { headers: accept })
        assert.deepEqual([rejected.status, findForm(rejected.text), findTable(rejected.text)], [401, '', ''])
      }
    })

    test('the home page links to the profiles and shows example requests; its JSON is as specified', async () => {
      const { client } = service()
      const json = { directory: 'http://localhost/directory/', snippets: 'http://localhost/snippet/' }
      assert.deepEqual((await client.get('/')).json(), json)
      const anonymousPage = readable((await client.get('/', { headers: accept })).text)
      for (const href of Object.values(json)) assert.ok(anonymousPage.includes(`<a href="${href}">`), href)
      assert.doesNotMatch(anonymousPage, /href="[^"]*api-token-auth/, 'it has no page')
      assert.match(anonymousPage, /curl -d username=USERNAME -d password=PASSWORD/)
      assert.doesNotMatch(anonymousPage, /\/admin\//)
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
    filters: { genre: ['exact', 'in'], in_print: true, pages: ['gte', 'isnull'] },
    filterLimits: { groups: 1 },
    orderingFields: ['title'],
    sparseFields: true,
    hookColumns: ['subtitle', 'contact'],
    prepare: () => ({ subtitle: '', contact: '' }),
  }),
]

onEitherDatabase(
  () => ({
    resources,
    renderers: [jsonRenderer, browsable()],
    pagination: pageNumber({ pageSize: 2, pageQueryParam: 'p' }),
  }),
  api => {
    test('SVC-7: values in a table are escaped, and are not links to other URLs', async () => {
      const { client, insert, database } = api()
      const row = { ...bookRow, genre: 'novel', in_print: isSqlite(database) ? 1 : true, pages: 10 }
      const title = '<script>alert(1)</script>'
      await insert('books', [
        { ...row, title, summary: 'javascript:alert(1)' },
        { ...row, title: 'Long '.repeat(40), summary: 'http://localhost/authors/1/' },
        { ...row, title: 'Third', summary: null },
      ])
      const page = readable((await client.get('/books/', { headers: accept })).text)
      assert.ok(!page.includes(title))
      assert.match(page, /&#60;script&#62;/)
      assert.match(findTable(page), /<a href="\/books\/1\/">.*Yes/)
      assert.match(findTable(page), /Long &hellip;/)
      assert.doesNotMatch(findTable(page), /(?:href|value)="(?:javascript:|[^"]*authors)/)
    })

    test('the columns are the name and fields with short values; a query chooses others', async () => {
      const headings = async (query: string) => {
        const table = findTable(readable((await api().client.get(`/books/${query}`, { headers: accept })).text))
        return [...table.matchAll(/<th scope="col"[^>]*>(.*?)<\/th>/g)].map(([, label]) =>
          label!.replace(/<[^>]*>/g, ''),
        )
      }
      assert.deepEqual(await headings(''), ['Title', 'Url', 'Pages', 'In print', 'Genre'])
      assert.deepEqual(await headings('?fields=id,genre'), ['Book', 'Genre'])
    })

    test('SVC-7: the form has a control for each value, with the lookups inside', async () => {
      const query = 'genre__in=novel&genre__in=poetry&pages__gte=9&pages__isnull=false'
      const form = findForm(readable((await api().client.get(`/books/?${query}`, { headers: accept })).text))
      for (const control of [
        '<label for="list-genre__in">Genre</label><select id="list-genre__in" name="genre__in" data-combobox',
        '<option value="poetry" selected>',
        '<label for="list-pages__gte">Pages</label><div><select id="list-pages__gte-by" name="_by.pages"',
        '<option value="gte" data-inputs="1" selected>at least</option><option value="empty" data-inputs="0" >is empty</option>',
        '<input type="number" value="9" id="list-pages__gte" name="_value.pages"',
        // The control shows one of the two conditions, and the form keeps the other one.
        '<input type="hidden" name="pages__isnull" value="false">',
      ])
        assert.ok(form.includes(control), `${control} in ${form}`)
    })

    test('SVC-7: the form keeps groups of filters and the choice of fields, and its link to reset removes them', async () => {
      for (const [query, name] of [
        ['or.genre=novel&or.pages__gte=9', 'or.genre'],
        ['fields=id,title', 'fields'],
        ['omit=genre', 'omit'],
      ]) {
        const form = findForm(readable((await api().client.get(`/books/?${query}&x=1`, { headers: accept })).text))
        assert.ok(form.includes(`<input type="hidden" name="${name}"`), form)
        assert.ok(form.includes('<a class="button" href="/books/?x=1">Clear</a>'), form)
      }
      for (const query of ['x=1', 'or.title=a', 'expand=author']) {
        const form = findForm(readable((await api().client.get(`/books/?${query}`, { headers: accept })).text))
        assert.doesNotMatch(form, /Clear/, query)
      }
    })

    test('LIM-PAG-r1: the filter form and the ordering links lead to the first page, whatever the page parameter is called', async () => {
      const page = readable((await api().client.get('/books/?p=2&genre=novel&x=1', { headers: accept })).text)
      assert.doesNotMatch(findForm(page), /name="p"/)
      assert.match(findForm(page), /<input type="hidden" name="x" value="1">/)
      assert.match(findTable(page), /<a href="\/books\/\?genre=novel&amp;x=1&amp;ordering=title">/)
    })
  },
)

const readers: Permission = { allows: ({ request }) => request.headers['x-reader'] !== undefined }
const namedAuthors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text() },
  objectName: 'name',
  permissions: [readers],
})

onEitherDatabase(
  () => ({
    resources: [
      namedAuthors,
      resource('books', {
        table: 'books',
        actions: ['list'],
        objectName: 'title',
        pages: { columns: ['editors', 'author', 'translator'] },
        fields: {
          id: key(),
          title: text(),
          author: related(namedAuthors),
          translator: related(namedAuthors, { form: 'url', nullable: true }),
          editors: related(namedAuthors, { many: { table: 'book_editors', own: 'book_id', other: 'author_id' } }),
        },
      }),
    ],
    renderers: [jsonRenderer, browsable()],
  }),
  api => {
    test('a list names related objects only to callers who may read them', async () => {
      const { client, insert } = api()
      const names = ['Ünal', '<b>', ' ', 'Dee', 'Eve']
      await insert(
        'authors',
        names.map(name => ({ name })),
      )
      const row = { ...bookRow, genre: 'novel', in_print: isSqlite(api().database) ? 0 : false, pages: 1 }
      await insert('books', [{ ...row, title: 'One', author_id: 1, translator_id: 2 }])
      const editors = [1, 2, 4, 5].map(author_id => ({ book_id: 1, author_id }))
      await api().database.transaction(({ kysely }) => kysely.insertInto('book_editors').values(editors).execute())
      const readRow = async (headers: object) => {
        const page = (await client.get('/books/', { headers: { ...accept, ...headers } })).text
        return readable(/<tbody>(.*?)<\/tbody>/s.exec(page)![1]!)
      }
      const link = (id: number, name: string) => `<a href="/authors/${id}/">${name}</a>`
      const [first, second] = [link(1, '<bdi>Ünal</bdi>'), link(2, '&#60;b&#62;')]
      const named = await readRow({ 'x-reader': '1' })
      const editorsCell = `<td>${first}, ${second}, ${link(4, 'Dee')} <span class="more">+1</span></td>`
      assert.ok(named.includes(`${editorsCell}<td>${first}</td><td>${second}</td>`), named)
      const hidden = await readRow({})
      assert.match(hidden, /<td class="short" data-label="Editors">4<\/td>/)
      assert.match(hidden, /<td>Author 1<\/td><td><a href="http:\/\/localhost\/authors\/2\/">Author 2<\/a><\/td>/)
      assert.doesNotMatch(hidden, /Ünal|Dee/)
      const rename = (name: string) =>
        api().database.transaction(({ kysely }) =>
          kysely.updateTable('authors').set({ name }).where('id', '=', 4).execute(),
        )
      await rename('Deborah')
      assert.ok((await readRow({ 'x-reader': '1' })).includes(link(4, 'Deborah')))
    })
  },
)

onEitherDatabase(
  () => ({
    resources: [
      namedAuthors,
      resource('books', {
        table: 'books',
        actions: ['list', 'retrieve'],
        objectName: 'title',
        fields: {
          id: key(),
          title: text(),
          author: related(namedAuthors, { shows: ['id', 'name'] }),
          translator: related(namedAuthors, { shows: ['name'], nullable: true }),
          editors: related(namedAuthors, {
            many: { table: 'book_editors', own: 'book_id', other: 'author_id' },
            shows: ['id', 'name'],
          }),
        },
      }),
    ],
    renderers: [jsonRenderer, browsable()],
  }),
  api => {
    test('SVC-7: a related object that responses show as an object is a column, and a link for callers who may read it', async () => {
      const { client, insert } = api()
      await insert('authors', [{ name: 'Ann' }, { name: 'Bob' }])
      await insert('books', [{ ...bookRow, title: 'Emma', author_id: 1, translator_id: 2 }])
      await api().database.transaction(({ kysely }) =>
        kysely.insertInto('book_editors').values({ book_id: 1, author_id: 2 }).execute(),
      )
      const reader = { 'x-reader': '1' }
      const linked = ['<a href="/authors/1/">Ann</a>', 'Bob', '<a href="/authors/2/">Bob</a>']
      for (const { headers, expected } of [
        { headers: reader, expected: linked },
        { headers: {}, expected: ['Ann', 'Bob', 'Bob'] },
      ]) {
        const read = async (path: string) => (await client.get(path, { headers: { ...accept, ...headers } })).text
        assert.deepEqual(listCells(await read('/books/')), expected)
        const page = await read('/books/1/')
        for (const link of expected) assert.ok(page.includes(`>${link}<`), `${link} in ${page}`)
      }
      const file = await client.get('/books/?format=csv', { headers: reader })
      assert.deepEqual(file.text.trim().split(/\r?\n/).at(-1), '1,Emma,Ann,Bob,Bob')
    })
  },
)

const greetedAuthors = resource('authors', {
  table: 'authors',
  fields: {
    id: key(),
    greeting: computed(text(), ({ row, caller }) => sql`cast(${caller.username} as text) || ' and ' || ${row.name}`),
  },
  objectName: 'greeting',
  actions: ['list', 'retrieve'],
})

onEitherDatabase(
  () => ({
    resources: [
      greetedAuthors,
      resource('books', {
        table: 'books',
        actions: ['list'],
        objectName: 'title',
        fields: { id: key(), title: text(), author: related(greetedAuthors) },
      }),
    ],
    renderers: [jsonRenderer, browsable()],
    authentication: [userScheme],
  }),
  api => {
    test('a list names related objects as each caller sees them', async () => {
      const { client, insert } = api()
      await insert('authors', [{ name: 'Jane' }])
      await insert('books', [{ ...bookRow, title: 'Emma', author_id: 1 }])
      for (const name of ['ann', 'bob', 'ann'] as const) {
        const { text: page } = await client.get('/books/', { headers: { ...accept, ...asUser(name).headers } })
        assert.match(page, new RegExp(`<a href="/authors/1/">${name} and Jane</a>`))
      }
    })
  },
)

const isSqlite = ({ dialect }: { readonly dialect: { readonly name: string } }): boolean => dialect.name === 'sqlite'
