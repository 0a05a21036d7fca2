// Forms, actions and filters that were rejected: the page keeps its name and what was typed, and says why for people.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  browsable,
  Conflict,
  choice,
  dateTime,
  forTypes,
  german,
  type Identity,
  integer,
  isSafe,
  jsonRenderer,
  key,
  listView,
  nested,
  objectView,
  type Permission,
  pageNumber,
  related,
  text,
} from 'resource-api'
import { reference, table, tables } from 'resource-api/tables'
import { listControls } from '../support/form-controls.ts'
import { toReadableText } from '../support/html.ts'
import { onEachDatabase, userScheme } from '../support/own-api.ts'

const categories = table('categories', {
  columns: { id: key(), slug: text({ max: 50, unique: 'Taken.' }), name: text() },
})
const parcels = table('parcels', {
  columns: {
    id: key(),
    number: text({ max: 20, unique: 'Taken.' }),
    category: reference('categories'),
    state: choice({ open: 'Open', sent: 'Sent' }, { default: 'open' }),
    due: dateTime({ nullable: true }),
    pin: text({ max: 4, default: '0000' }),
  },
})
const items = table('items', {
  columns: { id: key(), parcel: reference('parcels', { relatedName: 'items' }), count: integer({ min: 1 }) },
})
const preferences = table('preferences', { columns: { id: key(), city: text({ max: 10 }) } })
const schema = tables({ owner: 'parcels', tables: [categories, parcels, items, preferences] })
const { resource } = forTypes<Identity, typeof schema>()

const categoryResource = resource('categories', {
  table: categories,
  objectName: 'name',
  fields: categories.pick('slug', 'name'),
})
const itemResource = resource('items', {
  table: items,
  fields: { ...items.pick('id', 'count'), parcel: related('parcels') },
})
const onlyRead: Permission = {
  audience: 'the packers',
  columns: ['number'],
  allowsObject: ({ method }, { number }) => isSafe(method) || number !== 'fixed',
}
const parcelResource = resource('parcels', {
  table: parcels,
  objectName: 'number',
  fields: {
    ...parcels.pick('id', 'number', 'state', 'due', 'pin'),
    category: related(categoryResource, { by: 'slug' }),
    items: nested({ of: itemResource, many: { reverse: 'parcel_id' }, fields: ['id', 'count'], writable: true }),
  },
  filters: { state: ['exact', 'in'], due: ['gte', 'lte'] },
  pagination: pageNumber({ pageSize: 2 }),
  ordering: ['number'],
  permissions: [onlyRead],
  pages: {
    actions: {
      reopen: { values: { state: 'open' }, when: { state: 'sent' } },
      'change-pin': { label: 'Change PIN', fields: ['pin'] },
    },
  },
  async beforeSave({ values }) {
    if (values.number === 'taken') throw new Conflict('Another parcel has this number.')
  },
  listViews: {
    totals: listView({
      query: { year: integer({ min: 2000 }) },
      response: { year: integer() },
      handlers: { GET: ({ query }) => query },
    }),
  },
  objectViews: {
    send: objectView({
      pageActions: { POST: { when: { state: 'open', category: { slug: 'tea' } } } },
      handlers: {
        POST() {
          throw new Conflict('This parcel has been sent.')
        },
      },
    }),
    weigh: objectView({
      body: { grams: integer({ min: 1 }) },
      handlers: { POST: () => ({ status: 204 }) },
    }),
    watch: objectView({ handlers: { PUT: () => ({ status: 204 }), DELETE: () => ({ status: 204 }) } }),
  },
})
const preferenceResource = resource('preferences', {
  table: preferences,
  fields: preferences.pick('city'),
  actions: ['retrieve', 'create', 'update'],
  singleton: () => 1,
})

const headers = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
const findHeading = (page: string) => /<h1[^>]*>([^<]*)<\/h1>/.exec(toReadableText(page))?.[1]
const findTitle = (page: string) => /<title>([^<]*)<\/title>/.exec(toReadableText(page))?.[1]
const findRefusal = (page: string) =>
  /<div class="notice errors"[^>]*>(.*?)<\/div>/s.exec(toReadableText(page))?.[1]?.replaceAll(/<\/?p>|<\/?b>/g, '|')
const listButtons = (page: string) =>
  [...toReadableText(page).matchAll(/class="button[^"]*"[^>]*>([^<]*)</g)].map(([, label]) =>
    label!.replace('&hellip;', '…'),
  )

onEachDatabase(
  () => ({
    renderers: [jsonRenderer, browsable()],
    resources: [categoryResource, itemResource, parcelResource, preferenceResource],
    authentication: [userScheme],
    languages: { de: german },
  }),
  api => {
    const open = (path: string, more = {}) => api().client.get(path, { headers: { accept: 'text/html', ...more } })
    const post = (path: string, form: URLSearchParams | Record<string, string>, more = {}) =>
      api().client.request('POST', path, {
        form: Object.fromEntries(new URLSearchParams(form)),
        headers: { ...headers, ...more },
      })
    let count = 0
    async function create(values: object = {}) {
      count += 1
      await api().client.post('/categories/', { json: { slug: 'tea', name: 'Tea' } })
      const number = `P${count}`
      const created = await api().client.post('/parcels/', {
        json: { number, category: 'tea', items: [{ count: 1 }], ...values },
      })
      assert.equal(created.status, 201, created.text)
      const { id } = created.json()
      return { number, url: `/parcels/${id}/` }
    }
    const submit = async (url: string, changes: Record<string, string>) => {
      const form = listControls((await open(url)).text, 'PATCH')
      for (const [name, value] of Object.entries(changes)) form.set(name, value)
      return post(`${url}?_method=PATCH`, form)
    }

    test('SVC-7: a rejected form keeps the name of its object, its actions and what was typed', async () => {
      const { number, url } = await create()
      const page = await submit(url, { due: 'soon', 'items[0]count': '0' })
      assert.equal(page.status, 400)
      assert.equal(findHeading(page.text), number)
      assert.match(findTitle(page.text)!, new RegExp(`^Error: ${number}`))
      assert.ok(listButtons(page.text).includes('Weigh…'))
      assert.match(toReadableText(page.text), /data-errors [^>]*><li>Not saved\. Fields that need attention: 2<\/li>/)
      assert.match(page.text, /id="patch-due-errors" ><li>Datetime has wrong format/)
      assert.match(
        page.text,
        /id="patch-items\[0\]count-errors" ><li>Ensure this value is greater than or equal to 1\./,
      )
      assert.match(page.text, /value="soon"/)
      // The response is there for programmers.
      const [before, details] = page.text.split('<summary>Details</summary>') as [string, string]
      assert.doesNotMatch(before, /HTTP 400/)
      assert.match(details, /PATCH<\/b> .*HTTP 400 Bad Request/s)
      assert.equal(page.text.match(/class="response"/g)?.length, 1)
    })

    test('SVC-7: an object is its facts, a form with typed inputs, and its children as a table', async () => {
      const { url } = await create({ due: '2026-12-24T18:00:00Z' })
      const page = toReadableText((await open(url)).text)
      assert.match(page, /<input type="datetime-local" value="2026-12-24T18:00" data-utc id="patch-due"/)
      assert.match(page, /<div class="table children"><table>.*<th scope="col" class="number">Count<\/th>/s)
      assert.match(page, /<tr class="row" id="patch-items-0"><td class="number">/)
      await api().client.patch(url, { json: { due: '2026-12-24T18:00:01.123456Z' } })
      // The input could not show all digits.
      assert.match((await open(url)).text, /<input type="text" value="2026-12-24T18:00:01.123456Z" id="patch-due"/)
    })

    test('SVC-7: a conflict of a form is an error of the form', async () => {
      const { number, url } = await create()
      const page = await submit(url, { number: 'taken' })
      assert.deepEqual([page.status, findHeading(page.text)], [409, number])
      assert.match(page.text, /<li>Another parcel has this number\.<\/li>/)
      assert.match(page.text, /value="taken"/)
    })

    test('SVC-7: a rejected new object is still the page of a new object', async () => {
      await create()
      const page = await post('/parcels/?new', { number: 'N', category: '', state: '' })
      assert.deepEqual([page.status, findHeading(page.text)], [400, 'New parcel'])
      assert.match(page.text, /id="post-category-errors" ><li>Choose a category\.<\/li>/)
      assert.match(page.text, /value="N"/)
      assert.match(page.text, /<form method="post" action="\/parcels\/\?new"/)
      const unknown = await post('/parcels/', { number: 'N', category: 'coffee' })
      assert.match(toReadableText(unknown.text), /<li>Object with slug=coffee does not exist\.<\/li>/)
      const { text: translated } = await api().client.request('POST', '/parcels/?new', {
        form: { number: 'N', category: '' },
        headers: { ...headers, 'accept-language': 'de' },
      })
      assert.match(translated, /<li>Bitte wählen: Category\.<\/li>/)
      assert.match(translated, /<summary>Einzelheiten<\/summary>/)
    })

    test('SVC-7: an action that was refused says why on the page of its object', async () => {
      const { number, url } = await create()
      const page = await post(`${url}send/?_method=POST`, {})
      assert.deepEqual([page.status, findHeading(page.text)], [409, number])
      assert.equal(findRefusal(page.text), '||“Send” was not done.|||This parcel has been sent.|')
      assert.match(page.text, /id="patch-number"/)
      assert.doesNotMatch(page.text, />POST<\/button>/)
      assert.match(page.text, /<summary>Details<\/summary>.*HTTP 409 Conflict/s)
    })

    test('SVC-7: the errors of an action are on its page', async () => {
      const { number, url } = await create()
      const page = await post(`${url}weigh/?_method=POST`, { grams: '0' })
      assert.deepEqual([page.status, findHeading(page.text)], [400, `Weigh: ${number}`])
      assert.match(page.text, /<li>Ensure this value is greater than or equal to 1\.<\/li>/)
      assert.match(toReadableText(page.text), new RegExp(`action="${url}weigh/\\?_method=POST"`))
      const pin = await post(`${url}?action=change-pin&_method=PATCH`, { pin: '12345' })
      assert.deepEqual([pin.status, findHeading(pin.text)], [400, `Change PIN: ${number}`])
      assert.match(pin.text, /no more than 4 characters/)
    })

    test('SVC-7: a caller who may not change the object reads why beside it, and sees no form', async () => {
      const { url } = await create({ number: 'fixed' })
      for (const path of [`${url}?_method=PATCH`, `${url}?action=change-pin&_method=PATCH`, `${url}?_method=DELETE`]) {
        const page = await post(path, { pin: '1' }, { 'x-user': 'ann' })
        assert.deepEqual([page.status, findHeading(page.text)], [403, 'fixed'], path)
        assert.match(findRefusal(page.text)!, /You do not have permission.*Who may: the packers\./s)
        assert.doesNotMatch(page.text, /data-method="PATCH"/)
        assert.match(page.text, /<dd>Open<\/dd>|Open/)
      }
      await api().client.delete(url)
    })

    test('SVC-7: an action is offered for the objects that it applies to', async () => {
      const { url } = await create()
      const list = async () => listButtons((await open(url)).text)
      assert.ok((await list()).includes('Send…'))
      assert.doesNotMatch((await open(url)).text, />Reopen</)
      await api().client.patch(url, { json: { state: 'sent' } })
      assert.ok(!(await list()).includes('Send…'))
      assert.match((await open(url)).text, /<button>Reopen<\/button>/)
      assert.equal(findHeading((await open(`${url}?action=send`)).text), `P${count}`)
    })

    test('SVC-7: two actions of an object have different names', async () => {
      const { url } = await create()
      const labels = listButtons((await open(url)).text)
      assert.deepEqual([labels.includes('Watch…'), labels.includes('End: Watch…')], [true, true])
      assert.equal(new Set(labels).size, labels.length)
    })

    test('SVC-7: the page of a view that needs a query asks for it', async () => {
      const page = await open('/parcels/totals/')
      assert.equal(page.status, 200)
      assert.doesNotMatch(page.text, /class="notice errors"|HTTP 400/)
      assert.match(page.text, /<input type="number" value="" id="query-year"/)
      assert.equal((await api().client.get('/parcels/totals/')).status, 400)
      const wrong = await open('/parcels/totals/?year=1900')
      assert.equal(wrong.status, 400)
      assert.equal(findRefusal(wrong.text), '|Check the values below.|')
      assert.match(wrong.text, /id="query-year-errors" ><li>Ensure this value/)
      assert.match((await open('/parcels/totals/?year=2026')).text, /2026/)
    })

    test('SVC-7: a filter that was rejected keeps the list, and has its error beside it', async () => {
      await create()
      const page = await open('/parcels/?due__gte=soon&state=open')
      assert.deepEqual([page.status, findHeading(page.text)], [400, 'Parcels'])
      assert.equal(findRefusal(page.text), '|Check the values below.|')
      assert.match(page.text, /id="list-due__gte-errors"><li>/)
      assert.match(page.text, /value="soon" id="list-due__gte-value" name="_value.due"[^>]* aria-invalid="true"/)
      assert.match(page.text, /<summary>Details<\/summary>.*HTTP 400/s)
    })

    test('SVC-7: a page beyond the end of a list leads to the last page', async () => {
      await create()
      await create()
      await create()
      const { json } = await api().client.get('/parcels/')
      const last = Math.ceil(json().count / 2)
      const beyond = await open('/parcels/?state=open&page=999')
      assert.equal(beyond.status, 303)
      assert.match(beyond.headers.location!, /\/parcels\/\?state=open&page=\d+$/)
      assert.equal((await open('/parcels/?page=999')).headers.location, `/parcels/?page=${last}`)
      assert.equal((await api().client.get('/parcels/?page=999')).status, 404)
      assert.equal((await open('/parcels/?page=0')).status, 404)
      assert.equal((await open('/parcels/?page=x')).status, 404)
    })

    test('SVC-7: an object that does not exist yet is a form, and keeps what was typed', async () => {
      const page = await open('/preferences/')
      assert.deepEqual([page.status, findHeading(page.text)], [404, 'Preferences'])
      assert.match(page.text, /This does not exist yet\. The form below creates it\./)
      assert.match(findTitle(page.text)!, /^Preferences/)
      const rejected = await post('/preferences/?_method=PUT', { city: 'far too long a name' })
      assert.deepEqual([rejected.status, findHeading(rejected.text)], [400, 'Preferences'])
      assert.match(rejected.text, /id="put-city-errors" ><li>Ensure this field has no more than 10/)
      assert.match(rejected.text, /value="far too long a name"/)
    })
  },
  { migrations: {}, owners: [schema] },
)
