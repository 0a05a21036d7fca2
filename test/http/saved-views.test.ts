// Saved views (SVC-7): names for the filters, the order and the columns of lists, in the rail, for one user or for all who may open the list.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { boolean, key, ownerOrReadOnly, pageNumber, resource, rowFilter, text } from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { profile } from 'resource-api/service'
import { caller, owner, table, tables } from 'resource-api/tables'
import { openBrowser } from '../support/browser.ts'
import { toReadableText } from '../support/html.ts'
import { onEveryDatabase } from '../support/service.ts'

const noteTable = table('notes', {
  columns: { id: key(), title: text({ max: 100 }), is_open: boolean({ default: true }), owner: owner('users') },
})

const schema = tables({ owner: 'shop', uses: [accountTables], tables: [noteTable] })

// Each user has notes that nobody else sees.
const notes = resource('notes', {
  table: noteTable,
  fields: noteTable.pick('id', 'title', 'is_open'),
  filters: { is_open: true },
  orderingFields: ['title'],
  pagination: pageNumber({ pageSize: 2, pageSizeQueryParam: 'size' }),
  permissions: [ownerOrReadOnly(), rowFilter({ owner: caller('id') })],
})

const shop = profile('shop', {
  tables: schema,
  resources: [notes],
  strict: true,
  admin: { notes: {} },
})

const views = '/api-auth/my/saved-views/'
const list = '/notes/'
const html = { accept: 'text/html' }

onEveryDatabase({ profiles: [shop] }, service => {
  before(async () => {
    for (const name of ['ann', 'bob']) await service().createUser(name)
    await service().createUser('stan', { staff: true })
    await service().createUser('root', { staff: true, superuser: true })
  })

  const openAs = async (name: string) => {
    const browser = openBrowser(service().client)
    await browser.logIn(name)
    const page = async (path: string) => toReadableText((await browser.get(path, { headers: html })).text)
    /** Sends a form of a page. */
    const submit = (path: string, form: Record<string, string>) => {
      const { origin } = service().client
      return browser.request('POST', path, {
        form: { csrfmiddlewaretoken: browser.cookies.get('csrftoken')!, ...form },
        headers: { ...html, origin },
      })
    }
    const create = (json: object) => browser.send('POST', views, { json: { list, query: '', ...json } })
    return { browser, page, submit, create }
  }
  const listViews = (page: string) =>
    [
      ...(/<ul class="saved-views">(.*?)<\/ul>/s.exec(page)?.[1] ?? '').matchAll(
        /<a href="([^"]*)"\s*(aria-current="page")?><bdi>(.*?)<\/bdi>(?: <span>(.*?)<\/span>)?/g,
      ),
    ].map(([, href, current, name, count]) => ({ href, isOpen: current !== undefined, name, count }))
  const findForms = (page: string) => /<details class="menu views"[^>]*>.*?<\/details>/s.exec(page)?.[0] ?? ''

  test('SVC-7: a view is saved, opened, changed, renamed and deleted by the forms of its list', async () => {
    const { browser, page, submit } = await openAs('ann')
    for (const is_open of [true, true, true, false])
      await browser.send('POST', list, { json: { title: 'A note', is_open } })
    assert.equal(findForms(await page(list)), '')
    const filtered = await page(`${list}?is_open=true&ordering=-title&size=2&page=2`)
    assert.match(findForms(filtered), /name="query" value="is_open=true&ordering=-title&size=2"/)
    const [, action] = /<form method="post" action="([^"]*)"/.exec(findForms(filtered)) ?? []
    const query = 'is_open=true&ordering=-title&size=2'
    const created = await submit(action!, { name: 'Open <b>', list, query })
    assert.equal(created.status, 303, created.text)
    assert.equal(created.headers.location, `${list}?${query}`)
    const opened = await page(String(created.headers.location))
    const [{ id }] = (await browser.get(views)).json().results
    const href = `${list}?${query}&_view=${id}`
    assert.deepEqual(listViews(opened), [{ href, isOpen: true, name: 'Open <b>', count: '3' }])
    assert.match(findForms(opened), /View: Open <b>/)
    assert.doesNotMatch(findForms(opened), /Replace with these filters/)
    assert.deepEqual(listViews(await page('/')), [{ href, isOpen: false, name: 'Open <b>', count: undefined }])

    const changed = findForms(await page(`${list}?is_open=false&_view=${id}`))
    assert.match(changed, /Replace with these filters/)
    const next = `${list}?is_open=false&_view=${id}`
    const own = `${views}${id}/?${new URLSearchParams({ _next: next, _method: 'PATCH' })}`
    const replaced = await submit(own, { query: 'is_open=false' })
    assert.equal(replaced.headers.location, next)
    assert.equal(listViews(await page(next))[0]?.count, '1')
    await submit(own, { name: 'Closed' })
    assert.equal(listViews(await page(next))[0]?.name, 'Closed')
    const removal = `${views}${id}/?${new URLSearchParams({ _next: list, _method: 'DELETE' })}`
    assert.equal((await submit(removal, {})).headers.location, list)
    const after = await page(list)
    assert.deepEqual(listViews(after), [])
    assert.match(after, /role="status"[^>]*>Deleted\.</)
  })

  test('SVC-7: a shared view shows each reader the own rows, and only to those who may open its list', async () => {
    const [ann, bob, stan, root] = await Promise.all(['ann', 'bob', 'stan', 'root'].map(openAs))
    assert.deepEqual((await ann!.create({ name: 'All', is_shared: true })).json(), {
      is_shared: ['Only staff may share a view.'],
    })
    const shared = (await stan!.create({ name: 'Shared', query: 'is_open=true', is_shared: true })).json()
    const hidden = (await root!.create({ name: 'Staff', list: '/admin/audit-log/', is_shared: true })).json()
    await bob!.create({ name: 'Mine' })
    const names = async ({ browser }: typeof ann & object) =>
      (await browser.get(views)).json().results.map(({ name }: { name: string }) => name)
    assert.deepEqual(await names(ann!), ['Shared'])
    assert.deepEqual(await names(bob!), ['Mine', 'Shared'])
    // Only superusers may open the log.
    assert.deepEqual(await names(stan!), ['Shared'])
    assert.deepEqual(await names(root!), ['Shared', 'Staff'])
    assert.equal((await stan!.browser.get(`${views}${hidden.id}/`)).status, 404)
    const counts = async ({ page }: typeof ann & object) =>
      listViews(await page(list)).find(({ name }) => name === 'Shared')?.count
    assert.equal(await counts(ann!), '3')
    assert.equal(await counts(bob!), '0')

    const path = `${views}${shared.id}/`
    assert.equal((await ann!.browser.send('PATCH', path, { json: { name: 'Other' } })).status, 403)
    assert.equal((await ann!.browser.send('DELETE', path)).status, 403)
    assert.doesNotMatch(findForms(await ann!.page(`${list}?is_open=true`)), /Delete view/)
    assert.equal((await root!.browser.send('PATCH', path, { json: { is_shared: false } })).status, 200)
    assert.deepEqual(await names(ann!), [])
  })

  test('SVC-7: a view with a wrong name, list or query is refused with a reason', async () => {
    const { browser, create, submit, page } = await openAs('bob')
    const errors = async (json: object) => (await create(json)).json()
    assert.deepEqual(await errors({ name: ' ' }), { name: ['This field may not be blank.'] })
    assert.deepEqual(await errors({ name: 'x'.repeat(61) }), {
      name: ['Ensure this field has no more than 60 characters.'],
    })
    const noList = { list: ['There is no list at this path that you may open.'] }
    for (const path of [
      'https://evil.example/',
      '//evil.example/',
      '/\\evil/',
      '/admin/audit-log/',
      '/notes/1/',
      '/gone/',
    ])
      assert.deepEqual(await errors({ name: 'Elsewhere', list: path }), noList, path)
    const id = (await create({ name: 'Twice', query: 'ordering=title\r\nx' })).json().id
    assert.equal((await browser.get(`${views}${id}/`)).json().query, 'ordering=title%0D%0Ax')
    assert.deepEqual(await errors({ name: 'Twice' }), { name: ['You have a view with this name for this list.'] })
    const rejected = await submit(`${views}?_next=${list}`, { name: 'Twice', list, query: '' })
    assert.equal(rejected.status, 400)
    assert.match(rejected.text, /You have a view with this name for this list\./)
    assert.equal((await browser.send('PATCH', `${views}${id}/`, { json: { name: 'Twice' } })).status, 200)
    const filtered = `${list}?is_open=true&ordering=title`
    const next = new URLSearchParams({ _next: filtered })
    const taken = await submit(`${views}?${next}`, { name: 'Twice', list, query: 'is_open=true&ordering=title' })
    assert.equal(taken.status, 400)
    const takenPage = toReadableText(taken.text)
    assert.match(takenPage, /<h1[^>]*>Notes<\/h1>.*<details class="menu views" open>/s)
    assert.match(findForms(takenPage), /name="query" value="is_open=true&ordering=title"/)
    assert.match(
      findForms(takenPage),
      /id="view-name-new" name="name" value="Twice"[^>]* aria-invalid="true" aria-describedby="view-errors"><\/p><ul class="errors" id="view-errors"><li>You have a view with this name for this list\./,
    )
    // The list is filtered as before.
    assert.match(takenPage, /Is open: <b>Yes<\/b>/)
    await create({ name: 'Once', query: 'is_open=true' })
    const once = (await browser.get(views)).json().results.find(({ name }: { name: string }) => name === 'Once')
    const opened = new URLSearchParams({ _next: `${list}?is_open=true&_view=${once.id}`, _method: 'PATCH' })
    const long = await submit(`${views}${once.id}/?${opened}`, { name: 'y'.repeat(61) })
    assert.equal(long.status, 400)
    const longForms = findForms(toReadableText(long.text))
    assert.match(longForms, /id="view-name-open" name="name" value="y{61}"[^>]* aria-invalid="true"/)
    assert.match(longForms, /no more than 60 characters.*id="view-name-new" name="name" value=""/s)
    await browser.send('DELETE', `${views}${once.id}/`)
    // A page of another server is none to go to.
    const foreign = await submit(`${views}?_next=https://evil.example/`, { name: 'Here', list, query: '' })
    assert.match(String(foreign.headers.location), new RegExp(`^${views}\\d+/$`))

    const stored = (await browser.get(views)).json().results.length
    const statuses = []
    for (let index = stored; index <= 50; index++) statuses.push((await create({ name: `View ${index}` })).status)
    assert.deepEqual(new Set(statuses.slice(0, -1)), new Set([201]))
    assert.equal(statuses.at(-1), 400)
    const before = service().statements.length
    assert.equal(listViews(await page('/')).length, 5)
    assert.ok(service().statements.length - before < 10, service().statements.slice(before).join('\n'))
    // The first five are counted, apart from the one whose order the list refuses.
    assert.equal(listViews(await page(list)).filter(({ count }) => count !== undefined).length, 4)
  })

  test('SVC-7: a view whose filter or list is gone says so, and can be deleted', async () => {
    const { browser, create, page } = await openAs('ann')
    const { id } = (await create({ name: 'Old', query: 'is_closed=true' })).json()
    // This API refuses unknown parameters.
    const text = await page(`${list}?is_closed=true&_view=${id}`)
    assert.match(text, /role="alert"><p>is_closed: There is no such parameter\./)
    assert.match(text, /<h1[^>]*>Notes<\/h1>/)
    assert.match(findForms(text), /Delete view/)
    assert.equal(listViews(text).find(({ name }) => name === 'Old')?.count, undefined)
    const { services } = service()
    await services.database.transaction(({ kysely }) =>
      kysely.updateTable('saved_views').set({ list: '/gone/' }).where('id', '=', id).execute(),
    )
    assert.deepEqual(listViews(await page(list)), [])
    const gone = await browser.get(`${views}${id}/open/`)
    assert.equal(gone.status, 404)
    assert.match(gone.text, /There is no list at this path that you may open\./)
    assert.match(await page(`${views}${id}/`), /Delete…/)
    assert.equal((await browser.send('DELETE', `${views}${id}/`)).status, 204)
  })
})
