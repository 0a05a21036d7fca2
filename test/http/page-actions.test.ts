// Actions by name on the pages of objects: declared changes, and views below an object. All of them work without a script.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  Conflict,
  german,
  jsonRenderer,
  key,
  type Migrations,
  objectView,
  type Permission,
  related,
  resource,
  text,
} from 'resource-api'
import { germanAccounts } from 'resource-api/accounts'
import { findCsrfToken, openBrowser } from '../support/browser.ts'
import { toReadableText } from '../support/html.ts'
import { authors, bookFields, bookRow, tags } from '../support/library.ts'
import { asUser, onEitherDatabase, userScheme } from '../support/own-api.ts'
import { onEitherService } from '../support/service.ts'

const accept = 'text/html'

const mayRead: Permission = { columns: ['title'], allowsObject: (_context, { title }) => title !== 'hidden' }

const migrations: Migrations = {
  async '0001_parcels'({ schema }, { key, text }) {
    await schema
      .createTable('parcels')
      .addColumn('id', key)
      .addColumn('label', text, column => column.notNull())
      .addColumn('is_sent', 'boolean', column => column.notNull())
      .execute()
  },
}

const findNotice = (page: string) => /<p class="notice"[^>]*>(.*?)<\/p>/s.exec(toReadableText(page))?.[1]

onEitherService({ languages: { de: { ...german, ...germanAccounts } } }, service => {
  async function openUser(name: string, path = '') {
    const { id } = await service().createUser(name, { superuser: false })
    const admin = `chief-${name}`
    await service().createUser(admin, { staff: true, superuser: true })
    const browser = openBrowser(service().client)
    await browser.logIn(admin)
    const url = `/admin/users/${id}/`
    const page = await browser.get(url + path, { headers: { accept } })
    const csrfmiddlewaretoken = findCsrfToken(page)
    const post = (target: string, form: Record<string, string> = {}) =>
      browser.request('POST', target, {
        form: { csrfmiddlewaretoken, ...form },
        headers: { accept, 'sec-fetch-site': 'same-origin' },
      })
    const read = async () => (await browser.get(url)).json()
    return { id, url, page, html: toReadableText(page.text), post, read, browser }
  }

  test('SVC-7: a user is deactivated on a page that says what ends, and activated with a button', async () => {
    const { url, html, post, read, browser } = await openUser('pia')
    assert.match(html, /<a class="button" href="[^"]*\?action=deactivate">Deactivate&hellip;<\/a>/)
    assert.doesNotMatch(html, /<button>Activate/)
    // The actions switch the value, so the form leaves it out.
    assert.match(html, /<\/h1><span class="tag on">Active<\/span>/)
    assert.doesNotMatch(html, /id="patch-is_active"|name="_shown" value="is_active"/)
    assert.match(html, /id="patch-is_staff"/)
    const asking = toReadableText((await browser.get(`${url}?action=deactivate`, { headers: { accept } })).text)
    assert.match(asking, /<h1[^>]*>Deactivate: pia<\/h1>.*All sessions end, and tokens and passwords stop working/s)
    assert.match(asking, /<input type="hidden" name="is_active" value="false">/)
    const [, target] = /<form class="action" method="post" action="([^"]*)"/.exec(asking) ?? []
    const { status, headers } = await post(target!, { is_active: 'false' })
    assert.deepEqual([status, headers.location, (await read()).is_active], [303, url, false])
    const after = await browser.get(url, { headers: { accept } })
    assert.equal(findNotice(after.text), '<bdi>pia</bdi> was deactivated.')
    assert.match(after.text, /<button>Activate<\/button>/)
    assert.doesNotMatch(after.text, /Deactivate&hellip;/)
    assert.match(after.text, /<span class="tag off">Active: No<\/span>/)
    assert.match(
      after.text,
      /<a class="button" href="#history">History <span aria-hidden="true">&nbsp;&darr;<\/span><\/a>/,
    )
  })

  test('AUTH-SCH-5: the password has a page of its own, with the rules, two boxes and the sessions that end', async () => {
    const { url, html, post, browser } = await openUser('quinn', '?action=reset-password')
    assert.match(html, /<h1[^>]*>Reset password: quinn<\/h1>/)
    assert.match(html, /At least 8 characters.*All sessions of the user end/)
    const target = `${url}?action=reset-password&_method=PATCH`
    const typed = (password: string, again: string) => post(target, { password, _again_password: again })
    const different = await typed('a long enough one', 'another one')
    assert.equal(different.status, 400)
    assert.match(different.text, /Reset password: .*The two values are not the same\./s)
    const short = await typed('short', 'short')
    assert.equal(short.status, 400)
    assert.match(short.text, /too short/)
    assert.equal((await typed('', '')).status, 400)
    assert.doesNotMatch(short.text, /value="short"/)
    assert.equal((await typed('correct horse battery', 'correct horse battery')).status, 303)
    const { text: page } = await browser.get(url, { headers: { accept, 'accept-language': 'de' } })
    assert.equal(findNotice(page), 'Das Passwort von <bdi>quinn</bdi> wurde zurückgesetzt.')
    const form = { username: 'quinn', password: 'correct horse battery' }
    assert.equal((await service().client.post('/api-token-auth/', { json: form })).status, 200)
  })

  test('SVC-7: the form of a user has no field for the password, and a new user has one', async () => {
    const { html, browser } = await openUser('rosa')
    assert.doesNotMatch(html, /name="password"/)
    assert.match((await browser.get('/admin/users/?new', { headers: { accept } })).text, /name="password"/)
  })

  test('AUTH-SCH-2: a token is made on the page of its user, shown once, and revoked', async () => {
    const { url, html, post, browser } = await openUser('sol')
    assert.match(html, /href="[^"]*\?action=tokens">Make token&hellip;</)
    const made = await post(`${url}tokens/?_method=POST`)
    assert.equal(made.status, 201)
    const [, token] = /<b>Token<\/b> <code>([0-9a-f]{40})<\/code>/.exec(made.text) ?? []
    assert.match(made.text, /It is not shown again/)
    const call = () => service().client.get('/directory/users/', { token: token! })
    assert.equal((await call()).status, 200)
    const revoked = await post(`${url}tokens/?_method=DELETE`)
    assert.deepEqual([revoked.status, revoked.headers.location], [303, url])
    const { text: page } = await browser.get(url, { headers: { accept } })
    assert.equal(findNotice(page), 'The tokens of <bdi>sol</bdi> were revoked.')
    assert.equal((await call()).status, 401)
  })

  test('SVC-7: staff who may not change an account are refused by its actions', async () => {
    const { id } = await service().createUser('tess', { superuser: true })
    await service().createUser('helper', { staff: true })
    const browser = openBrowser(service().client)
    await browser.logIn('helper')
    const csrfmiddlewaretoken = findCsrfToken(await browser.get(`/admin/users/${id}/`, { headers: { accept } }))
    for (const target of [`/admin/users/${id}/tokens/?_method=POST`, `/admin/users/${id}/?_method=PATCH`]) {
      const { status } = await browser.request('POST', target, {
        form: { csrfmiddlewaretoken, is_active: 'false' },
        headers: { accept, 'sec-fetch-site': 'same-origin' },
      })
      assert.equal(status, 403, target)
    }
  })
})

onEitherService({ tokens: 'named' }, service => {
  test('AUTH-SCH-2: the page of an action asks for the fields of its view, and shows their errors', async () => {
    const { id } = await service().createUser('uma')
    await service().createUser('boss', { staff: true, superuser: true })
    const browser = openBrowser(service().client)
    await browser.logIn('boss')
    const page = await browser.get(`/admin/users/${id}/?action=tokens`, { headers: { accept } })
    assert.match(page.text, /name="expires_in"/)
    const post = (form: Record<string, string>) =>
      browser.request('POST', `/admin/users/${id}/tokens/?_method=POST`, {
        form: { csrfmiddlewaretoken: findCsrfToken(page), ...form },
        headers: { accept, 'sec-fetch-site': 'same-origin' },
      })
    const wrong = await post({ name: 'laptop', expires_in: 'soon' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.text, /value="laptop"/)
    assert.match(wrong.text, /A valid integer is required\./)
    assert.match((await post({ name: 'laptop', expires_in: '60' })).text, /<b>Token<\/b> <code>rapi_\w+<\/code>/)
  })
})

onEitherDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    resources: [
      resource('parcels', {
        table: 'parcels',
        objectName: 'label',
        requireIfMatch: true,
        fields: { label: text(), is_sent: boolean({ default: false }) },
        pages: {
          actions: {
            send: { label: 'Send it', description: 'The customer gets a message.', values: { is_sent: true } },
            rename: { fields: ['label'] },
          },
        },
        objectViews: ({ objectView: declare }) => ({
          ship: declare({
            description: 'Ships the parcel.',
            response: 'representation',
            pageActions: { POST: { bulk: true } },
            handlers: { POST: async ({ update }) => update({ is_sent: true }) },
          }),
          forget: declare({
            pageActions: { POST: { menu: true } },
            handlers: { POST: () => ({ status: 204 }) },
          }),
          notes: declare({ handlers: { GET: () => ({ status: 200, body: { note: 'x' } }) } }),
        }),
      }),
    ],
  }),
  api => {
    const client = () => api().client
    const headers = { accept, 'sec-fetch-site': 'same-origin' }
    async function openParcel(path = '') {
      const { headers: created } = await client().post('/parcels/', { json: { label: 'P1' } })
      const url = new URL(created.location!).pathname
      const { text: page } = await client().get(url + path, { headers: { accept } })
      return { url, html: toReadableText(page) }
    }

    test('SVC-7: an object offers its declared changes, its views and no view twice', async () => {
      const { url, html } = await openParcel()
      const [, actions = ''] = /<div class="actions">(.*?)<\/div>/s.exec(html) ?? []
      const [buttons = '', menu = ''] = actions.split('<summary class="button">More</summary>')
      const listTexts = (html: string) =>
        [...html.matchAll(/>([^<>]+)<\/(?:a|button)>/g)].map(([, shown]) => shown!.replace(/&hellip;|&#8230;/, '…'))
      assert.deepEqual(listTexts(buttons), ['Notes', 'Send it…', 'Rename…', 'Ship…'])
      assert.deepEqual(listTexts(menu), ['Forget…', 'Delete…'])
      assert.match(actions, new RegExp(`href="${url}\\?action=ship"`))
    })

    test('SVC-7: an action with a description asks, and takes effect in the state that its page showed', async () => {
      const { url, html } = await openParcel('?action=send')
      assert.match(html, /<h1[^>]*>Send it: P1<\/h1>.*The customer gets a message\./s)
      const [, target] = /<form class="action" method="post" action="([^"]*)"/.exec(html) ?? []
      await client().patch(url, { json: { label: 'P2' }, headers: { 'if-match': '*' } })
      assert.equal((await client().request('POST', target!, { form: { is_sent: 'true' }, headers })).status, 412)
      const fresh = await client().get(`${url}?action=send`, { headers: { accept } })
      const [, again] = /<form class="action" method="post" action="([^"]*)"/.exec(toReadableText(fresh.text)) ?? []
      const sent = await client().request('POST', again!, { form: { is_sent: 'true' }, headers })
      assert.deepEqual([sent.status, sent.headers.location], [303, url])
      const { text: shown } = await client().get(`${url}?action=send`, { headers: { accept } })
      assert.doesNotMatch(shown, /Send it/)
    })

    test('SVC-7: a list offers the changes with values, the views that declare it, and the deletion', async () => {
      const urls = [(await openParcel()).url, (await openParcel()).url]
      const { text: page } = await client().get('/parcels/', { headers: { accept } })
      const buttons = [...page.matchAll(/<button name="_bulk" value="(\w+)"/g)].map(([, name]) => name)
      assert.deepEqual(buttons, ['send', 'ship', 'delete'])
      const run = (name: string) =>
        client().post('/parcels/?_bulk=', {
          form: { _bulk: name, _confirmed: '1', _selected: urls.join(' ') },
          headers,
        })
      const done = await run('ship')
      assert.deepEqual([done.status, done.headers.location], [303, '/parcels/'])
      assert.match(String(done.headers['set-cookie']), /notice=bulk-2-0-/)
      for (const url of urls) assert.equal((await client().get(url)).json().is_sent, true)
      assert.match(String((await run('delete')).headers['set-cookie']), /notice=bulk-2-0-/)
      for (const url of urls) assert.equal((await client().get(url)).status, 404)
    })

    test('SVC-7: an action that returns the object, or nothing, leads back to the object, whose notice names both', async () => {
      for (const name of ['ship', 'forget']) {
        const { url } = await openParcel()
        const done = await client().request('POST', `${url}${name}/?_method=POST`, { form: { a: 'b' }, headers })
        assert.deepEqual([done.status, done.headers.location], [303, url], name)
        const cookie = String(done.headers['set-cookie']).split(';')[0]!
        const { text: page } = await client().get(url, { headers: { accept, cookie } })
        assert.equal(findNotice(page), `“${name === 'ship' ? 'Ship' : 'Forget'}” was done for <bdi>P1</bdi>.`)
      }
    })

    test('SVC-7: the page that asks for an action has the names of both', async () => {
      const { url } = await openParcel()
      const page = toReadableText((await client().get(`${url}?action=ship`, { headers: { accept } })).text)
      assert.match(page, /<h1[^>]*>Ship: P1<\/h1>.*<button class="primary">Ship<\/button>/s)
    })

    test('SVC-7: the notice of an action shows labels of declared actions only', async () => {
      const { url } = await openParcel()
      const read = async (notice: string, path = url) => {
        const cookie = `notice=${encodeURIComponent(notice)}`
        return findNotice((await client().get(path, { headers: { accept, cookie } })).text)
      }
      assert.equal(await read('done:send'), '“Send it” was done for <bdi>P1</bdi>.')
      for (const action of [
        '',
        ':send',
        ':<b>',
        ':constructor',
        ':ship.delete.',
        ':ship.x',
        ':__proto__',
        ':notes.get',
      ])
        assert.equal(await read(`done${action}`, action === ':send' ? '/parcels/' : url), 'Done.', action)
    })

    test('SVC-7: an action whose object refuses its values shows why', async () => {
      const { url, html } = await openParcel('?action=rename')
      const [, target] = /<form class="action" method="post" action="([^"]*)"/.exec(html) ?? []
      const rejected = await client().request('POST', target!, { form: { label: '' }, headers })
      assert.equal(rejected.status, 400)
      assert.match(rejected.text, /<h1[^>]*>Rename.*This field may not be blank\./s)
      const { headers: done } = await client().request('POST', target!, { form: { label: 'P <2>' }, headers })
      const cookie = String(done['set-cookie']).split(';')[0]!
      const { text: page } = await client().get(url, { headers: { accept, cookie } })
      assert.equal(findNotice(page), '“Rename” was done for <bdi>P <2></bdi>.')
    })
  },
  { migrations },
)

onEitherDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    trailingSlash: false,
    resources: [
      resource('parcels', {
        table: 'parcels',
        fields: { label: text(), is_sent: boolean({ default: false }) },
        objectViews: ({ objectView: declare }) => ({
          ship: declare({
            response: 'representation',
            pageActions: { POST: { bulk: true } },
            handlers: { POST: async ({ update, request }) => update({ label: request.url }) },
          }),
          history: declare({
            handlers: {
              GET: () => ({ status: 200, body: { results: [{ created: '2026-01-31', changes: { a: {} } }] } }),
            },
          }),
        }),
      }),
      resource('letters', {
        table: 'parcels',
        actions: ['list', 'retrieve'],
        fields: { label: text() },
        objectViews: {
          history: objectView({
            handlers: { GET: () => ({ status: 200, body: { results: [{ text: 'Arrived.' }] } }) },
          }),
        },
      }),
    ],
  }),
  api => {
    const create = async (path: string) => {
      const { headers } = await api().client.post(path, { json: { label: 'P1', is_sent: false } })
      return new URL(headers.location!).pathname
    }

    test('SVC-7: an action for several objects has URLs without a slash at their ends', async () => {
      const url = await create('/parcels')
      const run = (name: string) =>
        api().client.post('/parcels?_bulk=', {
          form: { _bulk: name, _confirmed: '1', _selected: url },
          headers: { accept, 'sec-fetch-site': 'same-origin' },
        })
      assert.match(String((await run('ship')).headers['set-cookie']), /notice=bulk-1-0-/)
      assert.equal((await api().client.get(url)).json().label, `${url}/ship`)
      assert.match(String((await run('delete')).headers['set-cookie']), /notice=bulk-1-0-/)
      assert.equal((await api().client.get(url)).status, 404)
    })

    test('SVC-7: the page of an object links its history, unless that has other values than changes', async () => {
      const readPage = async (url: string) => {
        const { status, text } = await api().client.get(url, { headers: { accept } })
        assert.equal(status, 200)
        return toReadableText(text)
      }
      const parcel = await create('/parcels')
      assert.ok((await readPage(parcel)).includes(`<h2 id="history">History <a href="${parcel}/history">`))
      const letter = parcel.replace('parcels', 'letters')
      assert.ok(!(await readPage(letter)).includes('id="history"'))
      assert.match(await readPage(`${letter}/history`), /Arrived\./)
    })
  },
  { migrations },
)

onEitherDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    resources: [
      authors,
      tags,
      resource('books', {
        table: 'books',
        fields: bookFields,
        perAction: { retrieve: { shows: ['id', 'title'] } },
        pages: { actions: { tag: { adds: 'tags' } } },
      }),
      resource('novels', {
        table: 'books',
        actions: ['list', 'retrieve', 'update'],
        fields: {
          tags: related(tags, {
            many: { table: 'book_tags', own: 'book_id', other: 'tag_id' },
            shows: ['id', 'name'],
            default: [],
          }),
        },
        pages: { actions: { tag: { adds: 'tags' } } },
      }),
    ],
  }),
  api => {
    test('SVC-7: adding a related object keeps the others, also if responses show them as objects or not at all', async () => {
      const { client, insert } = api()
      await insert('tags', [{ name: 'old' }, { name: 'new' }])
      assert.equal((await client.post('/books/', { json: { ...bookRow, tags: [1] } })).status, 201)
      for (const [list, notice, expected] of [
        ['/books/', /notice=bulk-0-1-/, [1]],
        ['/novels/', /notice=bulk-1-0-/, [1, 2]],
      ] as const) {
        const done = await client.post(`${list}?_bulk=`, {
          form: { _bulk: 'tag', _confirmed: '1', _selected: `${list}1/`, tags: '2' },
          headers: { accept, 'sec-fetch-site': 'same-origin' },
        })
        assert.match(String(done.headers['set-cookie']), notice)
        assert.deepEqual((await client.get('/books/')).json()[0].tags, expected)
      }
    })
  },
)

onEitherDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    resources: [
      authors,
      resource('books', {
        table: 'books',
        actions: ['list', 'retrieve', 'update'],
        fields: { id: key(), title: text(), in_print: boolean(), author: related(authors) },
        nestedUnder: [{ parent: authors, column: 'author_id' }],
        pages: {
          actions: {
            rename: { values: { title: 'New' } },
            print: { values: { in_print: true } },
            withdraw: { values: { in_print: false } },
          },
        },
        beforeSave({ before }) {
          if (before?.title === 'broken') throw new Error('a mistake of the application')
          if (before?.title === 'kept') throw new Conflict('It is kept.')
        },
      }),
    ],
  }),
  api => {
    const run = async (path: string, selected: string) => {
      const { headers } = await api().client.post(`${path}?_bulk=`, {
        form: { _bulk: 'rename', _confirmed: '1', _selected: selected },
        headers: { accept, 'sec-fetch-site': 'same-origin' },
      })
      return String(headers['set-cookie'])
    }
    const listTitles = async () => (await api().rows('books')).map(({ title }) => title)

    test('SVC-7: an object whose hook refuses or fails stays, and the others change', async () => {
      const { insert } = api()
      const [author] = await insert('authors', [{ name: 'Ann' }])
      const row = { ...bookRow, author_id: author }
      const titles = ['a', 'kept', 'b', 'broken', 'c']
      const keys = await insert(
        'books',
        titles.map(title => ({ ...row, title })),
      )
      assert.match(
        await run(
          '/books/',
          keys
            .slice(0, 3)
            .map(id => `${id}/`)
            .join(' '),
        ),
        /notice=bulk-2-1-/,
      )
      assert.deepEqual(await listTitles(), ['New', 'kept', 'New', 'broken', 'c'])
      assert.match(await run('/books/', keys.map(id => `${id}/`).join(' ')), /notice=bulk-3-2-/)
      assert.deepEqual(await listTitles(), ['New', 'kept', 'New', 'broken', 'New'])
    })

    test('SVC-7: a switched value has no colour if no default says what is usual', async () => {
      const [author] = await api().insert('authors', [{ name: 'Eve' }])
      const [id] = await api().insert('books', [{ ...bookRow, title: 'plain', author_id: author }])
      for (const [in_print, expected] of [
        [true, '<span class="tag">In print</span>'],
        [false, '<span class="tag">In print: No</span>'],
      ] as const) {
        await api().client.patch(`/books/${id}/`, { json: { in_print } })
        assert.ok((await api().client.get(`/books/${id}/`, { headers: { accept } })).text.includes(expected), expected)
      }
    })

    test('SVC-7: objects below a parent are changed there, and those of another parent refuse', async () => {
      const { insert } = api()
      const [ann, bob] = await insert('authors', [{ name: 'Cleo' }, { name: 'Bob' }])
      const [own, other] = await insert('books', [
        { ...bookRow, title: 'own', author_id: ann },
        { ...bookRow, title: 'other', author_id: bob },
      ])
      const list = `/authors/${ann}/books/`
      assert.match(await run(list, `${own}/ ${list}${other}/ /authors/${bob}/books/${own}/`), /notice=bulk-1-2-/)
      const titles = new Map((await api().rows('books')).map(({ id, title }) => [id, title]))
      assert.deepEqual([titles.get(own!), titles.get(other!)], ['New', 'other'])
    })
  },
)

// The number of relation rows that are committed when a hook runs, by the title of its book.
const committed = new Map<string, number>()

onEitherDatabase(
  database => ({
    database,
    renderers: [jsonRenderer, browsable()],
    authentication: [userScheme],
    resources: [
      authors,
      tags,
      resource('books', {
        table: 'books',
        fields: bookFields,
        actions: ['list', 'retrieve', 'update'],
        pages: { actions: { tag: { adds: 'tags' } } },
        perAction: { retrieve: { permissions: [mayRead] } },
        async beforeSave({ values }) {
          if (values.title === 'kept') throw new Conflict('It is kept.')
        },
        async afterSave({ after }) {
          const { rows } = await sql`select 1 from book_tags`.execute(database.kysely)
          committed.set(after.title, rows.length)
        },
      }),
    ],
  }),
  api => {
    test('SVC-7: objects to which an action adds share a transaction, and those that refuse stay', async () => {
      const { client, insert, rows } = api()
      await insert('tags', [{ name: 'old' }, { name: 'new' }])
      const titles = ['a', 'kept', 'b', 'hidden', 'c']
      const keys = await insert(
        'books',
        titles.map(title => ({ ...bookRow, title })),
      )
      const [first] = keys
      await api().database.transaction(({ kysely }) =>
        kysely.insertInto('book_tags').values({ book_id: first, tag_id: 1 }).execute(),
      )
      const selected = [...keys.map(id => `${id}/`), '999/'].join(' ')
      const tag = (form: Record<string, string>) =>
        client.post('/books/?_bulk=', {
          form: { _bulk: 'tag', _confirmed: '1', _selected: selected, ...form },
          headers: { accept, 'sec-fetch-site': 'same-origin', ...asUser('ann').headers },
        })
      const { headers } = await tag({ tags: '2' })
      const [, counts, reasons] = /notice=bulk-(\d-\d)-([\w-]*):tag/.exec(String(headers['set-cookie'])) ?? []
      assert.equal(counts, '3-3')
      const texts = JSON.parse(Buffer.from(reasons!, 'base64url').toString()) as { readonly text: string }[]
      assert.deepEqual(texts.map(({ text }) => text).toSorted(), [
        'It is kept.',
        'Not found.',
        'You do not have permission to perform this action.',
      ])
      assert.deepEqual(Object.fromEntries(committed), { a: 1, b: 1, c: 1 })
      const { rows: stored } = await sql<{ book_id: number; tag_id: number }>`
        select book_id, tag_id from book_tags order by 1, 2`.execute(api().database.kysely)
      const listTags = (id: number) => stored.filter(row => Number(row.book_id) === id).map(row => Number(row.tag_id))
      assert.deepEqual(keys.map(listTags), [[1, 2], [], [2], [], [2]])
      assert.match(String((await tag({ tags: '999' })).headers['set-cookie']), /notice=bulk-0-6-/)
      assert.equal((await rows('books')).length, 5)
    })
  },
)

suite('pages.actions', () => {
  const declare = (actions: object, options: object = {}) =>
    resource('parcels', { table: 'parcels', fields: { label: text() }, pages: { actions }, ...options } as never)

  test('a wrong declaration is an error at start', () => {
    const wrong: readonly (readonly [object, RegExp, object?])[] = [
      [{ send: {} }, /"send": it needs one of "values", "fields" and "adds"/],
      [{ send: { values: { label: 'x' }, fields: ['label'] } }, /it needs one of/],
      [{ send: { fields: ['lable'] } }, /there is no writable field "lable"/],
      [{ send: { adds: 'label' } }, /is not a relation with several objects/],
      [{ 'Send it': { fields: ['label'] } }, /use letters, digits and hyphens/],
      [{ send: { fields: ['label'], labels: 'x' } }, /labels/],
      [{ send: { fields: ['label'] } }, /add "update" to "actions"/, { actions: ['list'] }],
      [
        { send: { fields: ['label'] } },
        /a view of "objectViews" has this name/,
        { objectViews: { send: objectView({ handlers: { POST: () => ({ status: 204 }) } }) } },
      ],
    ]
    for (const [actions, message, options] of wrong) assert.throws(() => declare(actions, options), message)
  })
})
