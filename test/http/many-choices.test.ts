// Fields with many choices on pages: a control has the selected ones, and searches the others. Without JavaScript, the form is sent for
// that.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import {
  browsable,
  choice,
  jsonRenderer,
  key,
  type Migrations,
  multipleChoice,
  object,
  objectView,
  resource,
  text,
} from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`v${index}`, `Choice ${index}`]))
const places: Readonly<Record<string, string>> = { ...many, c: 'C', k: 'Kotlin & C' }
const few = Object.fromEntries(Object.entries(many).slice(0, 30))
const isAnn = { allows: ({ user }: { user: { username: string } }) => user.username === 'ann' }

const things = resource('things', {
  table: 'things',
  fields: {
    id: key(),
    title: text(),
    place: choice(places, { default: 'v7', label: 'Place' }),
    tags: multipleChoice(many, { rows: { table: 'thing_tags', own: 'thing_id', other: 'tag' }, default: [] }),
    short: choice(few, { default: 'v0' }),
    hidden: choice(many, {
      default: 'v0',
      visible: ({ user }: { user: { username: string } }) => user.username === 'ann',
    }),
  },
  filters: { place: ['exact', 'in', 'not'], short: true, hidden: true },
  perAction: { create: { permissions: [isAnn] }, update: { permissions: [isAnn] } },
})

/** Objects with a size of two columns, a change with a name, and a view that asks for a place. */
const parcels = resource('parcels', {
  table: 'parcels',
  fields: {
    id: key(),
    size: object({
      fields: { width: text({ column: 'width' }), unit: choice(many, { default: 'v1', column: 'unit' }) },
      columns: true,
    }),
    depot: choice(many, { default: 'v2' }),
  },
  pages: { actions: { move: { fields: ['depot'] } } },
  objectViews: {
    send: objectView({
      body: { place: choice(places) },
      permissions: [isAnn],
      handlers: { POST: ({ body }) => ({ status: 200, body: { sent: body.place } }) },
    }),
  },
})

const migrations: Migrations = {
  async '0002_parcels'({ schema }, { key, text }) {
    let table = schema.createTable('parcels').addColumn('id', key)
    for (const name of ['width', 'unit', 'depot']) table = table.addColumn(name, text, column => column.notNull())
    await table.execute()
  },
  async '0001_things'({ schema }, { key, text, reference }) {
    let table = schema.createTable('things').addColumn('id', key)
    for (const name of ['title', 'place', 'short', 'hidden'])
      table = table.addColumn(name, text, column => column.notNull())
    await table.execute()
    await schema
      .createTable('thing_tags')
      .addColumn('thing_id', reference, column => column.notNull().references('things.id').onDelete('cascade'))
      .addColumn('tag', text, column => column.notNull())
      .addPrimaryKeyConstraint('thing_tags_key', ['thing_id', 'tag'])
      .execute()
  },
}

const listOptions = (html: string): readonly string[] =>
  [...html.matchAll(/<option value="([^"]*)"/g)].map(([, value]) => value!)

/** The control with this id, and the options that it has. */
const findControl = (html: string, id: string) => {
  const [control = ''] = new RegExp(`<select id="${id}".*?</select>`).exec(html) ?? []
  return { control, options: listOptions(control) }
}

onEachDatabase(
  () => ({
    resources: [things, parcels],
    renderers: [jsonRenderer, browsable()],
    authentication: [userScheme],
    allowedHosts: ['*'],
  }),
  api => {
    let path = ''
    const get = async (url: string, user: 'ann' | 'bob' | null = 'ann') => {
      const headers = { accept: 'text/html', ...(user && asUser(user).headers) }
      return toReadableText((await api().client.get(url, { headers })).text)
    }
    beforeEach(async () => {
      const json = { title: 'a', place: 'v120', tags: ['v3', 'v140'] }
      const created = await api().client.post('/things/', { json, ...asUser('ann') })
      assert.equal(created.status, 201)
      path = `/things/${created.json().id}/`
    })

    test('a form has the selected choices with their labels, and says where the others are', async () => {
      const page = await get(path)
      const place = findControl(page, 'patch-place')
      assert.deepEqual(place.options, ['v7', 'v120'])
      assert.match(place.control, /data-search="\?_search=place"/)
      assert.match(place.control, /<option value="v120" selected>Choice 120<\/option>/)
      assert.deepEqual(findControl(page, 'patch-tags').options, ['v3', 'v140'])
      assert.equal(findControl(page, 'patch-short').options.length, 30)
      assert.match(await get('/things/?new'), /<option value="v7" selected>Choice 7<\/option>/)
    })

    test('a search finds choices by all words; the text itself is first, and what begins with it', async () => {
      const search = async (name: string, words: string, url = path) =>
        listOptions(await get(`${url}?${new URLSearchParams({ _search: name, _text: words })}`))
      assert.deepEqual((await search('place', 'c')).slice(0, 1), ['c'])
      assert.equal((await search('place', 'c')).length, 152)
      assert.deepEqual(await search('place', 'ICE 14 cho'), [
        'v14',
        'v114',
        ...Array.from({ length: 10 }, (_, at) => `v${140 + at}`),
      ])
      assert.deepEqual(await search('place', 'v149'), ['v149'])
      assert.deepEqual(await search('place', '<b>'), [])
      assert.equal((await search('tags', '')).length, 150)
      assert.deepEqual(await search('filter:place', 'kot', '/things/'), ['k'])
      assert.deepEqual(await search('constructor', ''), [])
    })

    test('only who may use the field or the filter may search it', async () => {
      const search = async (name: string, user: 'ann' | 'bob' | null, url = '/things/') =>
        listOptions(await get(`${url}?${new URLSearchParams({ _search: name, _text: '149' })}`, user))
      for (const [name, url] of [
        ['place', '/things/'],
        ['place', path],
        ['filter:hidden', '/things/'],
      ] as const) {
        assert.deepEqual(await search(name, 'ann', url), ['v149'], name)
        assert.deepEqual(await search(name, 'bob', url), [], name)
        assert.deepEqual(await search(name, null, url), [], name)
      }
      assert.deepEqual(await search('filter:place', null), ['v149'])
      assert.deepEqual(await search('short', 'bob'), [])
    })

    test('without JavaScript, a form comes back with what was found, and nothing else has changed', async () => {
      const form = { title: 'typed', place: 'v120', short: 'v3', tags: 'v3', '_search.place': 'choice 99' }
      const { text } = await api().client.post(`${path}?_method=PATCH&_search=`, {
        form,
        headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html', ...asUser('ann').headers },
      })
      const page = toReadableText(text)
      assert.deepEqual(findControl(page, 'patch-place').options, ['v7', 'v120', 'v99'])
      assert.match(page, /value="typed"/)
      const saved = (await api().client.get(path, asUser('ann'))).json()
      assert.deepEqual([saved.title, saved.place], ['a', 'v120'])
    })

    const createParcel = async () => {
      const json = { size: { width: '3', unit: 'v130' }, depot: 'v110' }
      return `/parcels/${(await api().client.post('/parcels/', { json, ...asUser('ann') })).json().id}/`
    }
    const send = (url: string, form: Record<string, string>) =>
      api().client.post(url, {
        form,
        headers: { 'sec-fetch-site': 'same-origin', accept: 'text/html', ...asUser('ann').headers },
      })
    const search = async (url: string, words: string, user: 'ann' | 'bob' = 'ann') =>
      listOptions(await get(`${url}&${new URLSearchParams({ _text: words })}`, user))

    test('a field of an object has the selected choice, and searches the others, also without JavaScript', async () => {
      const parcel = await createParcel()
      const unit = findControl(await get(parcel), 'patch-size.unit')
      assert.deepEqual(unit.options, ['v1', 'v130'])
      assert.match(unit.control, /data-search="\?_search=size\.unit"/)
      assert.deepEqual(await search(`${parcel}?_search=size.unit`, 'choice 99'), ['v99'])
      assert.deepEqual(await search(`${parcel}?_search=size.width`, ''), [])
      const form = { 'size.width': '4', 'size.unit': 'v130', depot: 'v110', '_search.size.unit': 'choice 99' }
      const page = toReadableText((await send(`${parcel}?_method=PATCH&_search=`, form)).text)
      assert.deepEqual(findControl(page, 'patch-size.unit').options, ['v1', 'v130', 'v99'])
      assert.match(page, /What was found for “choice 99”/)
      const saved = await send(`${parcel}?_method=PATCH`, { ...form, 'size.unit': 'v99' })
      assert.equal(saved.status, 303)
      assert.deepEqual((await api().client.get(parcel, asUser('ann'))).json().size, { width: '4', unit: 'v99' })
    })

    test('the form of an action has the selected choices, and searches the others on the page of the action', async () => {
      const parcel = await createParcel()
      const moved = findControl(await get(`${parcel}?action=move`), 'action-depot')
      assert.deepEqual(moved.options, ['v2', 'v110'])
      assert.match(moved.control, new RegExp(`data-search="${parcel}\\?action=move&_search=depot"`))
      assert.deepEqual(await search(`${parcel}?action=move&_search=depot`, 'choice 99'), ['v99'])
      const sent = findControl(await get(`${parcel}?action=send`), 'action-place')
      assert.deepEqual(sent.options, [''])
      assert.match(sent.control, new RegExp(`data-search="${parcel}\\?action=send&_search=place"`))
      assert.deepEqual(await search(`${parcel}?action=send&_search=place`, 'kot'), ['k'])
      assert.deepEqual(await search(`${parcel}?action=send&_search=place`, 'kot', 'bob'), [])
      assert.deepEqual(await search(`${parcel}?action=send&_search=depot`, ''), [])
      assert.deepEqual(await search(`${parcel}?_search=place`, ''), [])
    })

    test('without JavaScript, the form of an action comes back with what was found, and does nothing else', async () => {
      const parcel = await createParcel()
      for (const [action, name, label] of [
        ['move', 'depot', 'Choice 99'],
        ['send', 'place', 'Kotlin & C'],
      ] as const) {
        const page = await get(`${parcel}?action=${action}`)
        const [, target] =
          new RegExp(`name="_search\\.${name}"[^>]*> <button formaction="([^"]*)#[^"]*" `).exec(page) ?? []
        assert.ok(target, page)
        const found = await send(target, { [`_search.${name}`]: label, depot: 'v110' })
        const { control } = findControl(toReadableText(found.text), `action-${name}`)
        assert.match(control, new RegExp(`>${label}</option>`))
        assert.match(control, new RegExp(`data-search="${parcel}\\?action=${action}&_search=${name}"`))
      }
      const { depot } = (await api().client.get(parcel, asUser('ann'))).json()
      assert.equal(depot, 'v110')
      const sent = await send(`${parcel}send/?_method=POST`, { place: 'k', '_search.place': 'kot' })
      assert.equal(sent.status, 200)
    })

    test('without JavaScript, Enter saves the form, and searches if a search was typed', async () => {
      const firstButton = (html: string, form: string) => {
        const start = html.indexOf(form)
        return html.slice(start).match(/<button[^>]*>/)?.[0]
      }
      const page = await get(path)
      assert.equal(firstButton(page, 'data-method="PATCH"'), '<button name="_enter" value="" hidden>')
      const fields = { title: 'by Enter', place: 'v120', short: 'v3', tags: 'v3' }
      const found = await send(`${path}?_method=PATCH`, { ...fields, _enter: '', '_search.place': 'choice 99' })
      const foundPage = toReadableText(found.text)
      assert.deepEqual(findControl(foundPage, 'patch-place').options, ['v7', 'v120', 'v99'])
      assert.equal(firstButton(foundPage, 'data-method="PATCH"'), '<button name="_enter" value="choice 99" hidden>')
      const saved = await send(`${path}?_method=PATCH`, {
        ...fields,
        _enter: 'choice 99',
        '_search.place': 'choice 99',
      })
      assert.equal(saved.status, 303)
      assert.equal((await api().client.get(path, asUser('ann'))).json().title, 'by Enter')
      const parcel = await createParcel()
      const action = await get(`${parcel}?action=send`)
      assert.equal(firstButton(action, '<form class="action"'), '<button name="_enter" value="" hidden>')
      const sent = await send(`${parcel}send/?_method=POST`, { place: 'k', _enter: '', '_search.place': '' })
      assert.equal(sent.status, 200)
      assert.doesNotMatch(sent.text, /action-place/)
      // The buttons of searches do not validate the other filters.
      assert.equal(firstButton(await get('/things/'), '<form class="filters"'), '<button hidden>')
    })

    test('a filter has its values, and searches the others without JavaScript too', async () => {
      const used = await get('/things/?place__in=v120,c')
      assert.deepEqual(findControl(used, 'list-place').options, ['', 'v120', 'c'])
      assert.match(used, /Choice 120, C/)
      const found = await get('/things/?_search.place=choice+14')
      assert.ok(findControl(found, 'list-place').options.includes('v149'))
      assert.equal(findControl(found, 'list-short').options.length, 31)
    })
  },
  { migrations },
)
