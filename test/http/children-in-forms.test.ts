// The children of an object in the forms of pages: rows that add, change and remove them.

import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { browsable, type Database, jsonRenderer, key, nested, resource, text } from 'resource-api'
import { addressMigrations, addressResources } from '../support/address-tables.ts'
import { listControls } from '../support/form-controls.ts'
import { toReadableText } from '../support/html.ts'
import { byAnn, invoices, lines, notes, orderMigrations, orders, products } from '../support/order-tables.ts'
import { asUser, onEitherDatabase, userScheme } from '../support/own-api.ts'

const limited = resource('limited', {
  table: 'orders',
  fields: {
    id: key(),
    number: text(),
    lines: nested({
      of: lines,
      many: { reverse: 'order_id' },
      fields: ['id', 'product', 'quantity'],
      writable: ['remove'],
    }),
  },
})

/** Three levels: an order, its lines, and their notes. */
const billed = resource('billed', {
  table: 'invoices',
  fields: {
    id: key(),
    number: text(),
    order: nested({ of: orders, column: 'order_id', fields: ['number', 'lines'], writable: true }),
  },
})

const resources = [products, notes, lines, invoices, orders, limited, billed]
const options = {
  resources,
  renderers: [jsonRenderer, browsable()],
  authentication: [userScheme],
  allowedHosts: ['*'],
}

onEitherDatabase(
  database => ({ ...options, database }),
  api => {
    let [tea, jam] = [0, 0]
    let path = ''
    let made: readonly { readonly id: number; readonly product: number; readonly quantity: number }[]
    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const table of ['notes', 'lines', 'invoices', 'orders', 'products'])
          await kysely.deleteFrom(table).execute()
      })
      ;[tea, jam] = (await api().insert('products', [{ name: 'tea' }, { name: 'jam' }])) as [number, number]
      const body = { number: 'A', lines: [{ product: tea, quantity: 2 }], invoice: { number: 'I1' } }
      const created = (await api().client.post('/orders/', byAnn(body))).json()
      path = `/orders/${created.id}/`
      made = created.lines
    })

    const accept = { accept: 'text/html', ...asUser('ann').headers }
    const open = (at = path) => api().client.get(at, { headers: accept })
    const read = async () => (await api().client.get(path, asUser('ann'))).json()
    const readLines = async () =>
      (await read()).lines.map((line: (typeof made)[number]) => [line.product, line.quantity])

    const submit = (form: URLSearchParams, query: string, at = path) =>
      api().client.post(`${at}?${query}`, {
        form: [...form],
        headers: { ...accept, 'sec-fetch-site': 'same-origin' },
      })
    const openForm = async (at = path) => listControls((await open(at)).text, 'PATCH')

    test('a page shows each child as a fieldset, and empty ones to add some', async () => {
      const { text: page } = await open()
      for (const legend of ['Line 1', 'New Line', 'Invoice'])
        assert.ok(page.includes(`<legend>${legend}</legend>`), legend)
      const form = await openForm()
      assert.equal(form.get('lines[0]id'), String(made[0]!.id))
      assert.equal(form.get('lines[0]product'), String(tea))
      assert.equal(form.get('lines[0]quantity'), '2')
      assert.equal(form.get('lines[1]quantity'), '')
      assert.equal(form.get('invoice.number'), 'I1')
    })

    test('a form adds, changes and removes children; a child that stays keeps its key', async () => {
      const form = await openForm()
      form.set('lines[0]quantity', '5')
      form.set('lines[2]product', String(jam))
      form.set('lines[2]quantity', '1')
      form.set('invoice.number', 'I2')
      const saved = await submit(form, '_method=PATCH')
      assert.equal(saved.status, 303, saved.text)
      assert.deepEqual(await readLines(), [
        [tea, 5],
        [jam, 1],
      ])
      assert.equal((await read()).lines[0].id, made[0]!.id)
      assert.equal((await read()).invoice.number, 'I2')
      const second = await openForm()
      second.set('lines[0]_remove', 'true')
      second.set('invoice._remove', 'true')
      assert.equal((await submit(second, '_method=PATCH')).status, 303)
      assert.deepEqual(await readLines(), [[jam, 1]])
      assert.equal((await read()).invoice, null)
    })

    test('children that a form sends back unchanged are not written, also if others have changed them', async () => {
      const form = await openForm()
      await api().client.patch(path, byAnn({ lines: [{ id: made[0]!.id, quantity: 9 }], invoice: { number: 'I9' } }))
      form.set('number', 'B')
      assert.equal((await submit(form, '_method=PATCH')).status, 303)
      const { number, invoice } = await read()
      assert.deepEqual([number, invoice.number, await readLines()], ['B', 'I9', [[tea, 9]]])
    })

    test('errors are shown at their row and field, and what was typed stays', async () => {
      const form = await openForm()
      form.set('lines[0]_remove', 'true')
      form.set('lines[1]product', String(jam))
      form.set('lines[1]quantity', '0')
      form.set('lines[2]extras', '{')
      const refused = await submit(form, '_method=PATCH')
      assert.equal(refused.status, 400)
      const json = await submit(
        new URLSearchParams([...form].filter(([name]) => name !== 'lines[2]extras')),
        '_method=PATCH',
      )
      assert.equal(json.status, 400)
      assert.match(
        json.text,
        /id="patch-lines\[1\]quantity-errors" ><li>Ensure this value is greater than or equal to 1\./,
      )
      assert.match(refused.text, /id="patch-lines\[2\]extras-errors" ><li>Value must be valid JSON\./)
      for (const { text: page } of [refused, json]) {
        const again = listControls(page, 'PATCH')
        assert.deepEqual(
          ['lines[0]_remove', 'lines[1]product', 'lines[1]quantity'].map(name => again.get(name)),
          ['true', String(jam), '0'],
        )
      }
      const again = listControls(json.text, 'PATCH')
      again.set('lines[1]quantity', '3')
      assert.equal((await submit(again, '_method=PATCH')).status, 303)
      assert.deepEqual(await readLines(), [[jam, 3]])
    })

    test('“Add another” writes nothing, keeps what was typed, and shows one row more', async () => {
      const form = await openForm()
      form.set('lines[1]quantity', '7')
      form.set('_add', 'lines')
      const page = await submit(form, '_method=PATCH&_search=')
      assert.doesNotMatch(page.text, /HTTP 400/)
      const more = listControls(page.text, 'PATCH')
      assert.deepEqual([more.get('lines[1]quantity'), more.get('lines[3]quantity')], ['7', ''])
      assert.equal(form.has('lines[3]quantity'), false)
      assert.deepEqual(await readLines(), [[tea, 2]])
    })

    test('a change of children by others is a conflict, which shows their children beside mine', async () => {
      const [, match] = /_match=([^&"]*)/.exec(toReadableText((await open()).text))!
      const form = await openForm()
      await api().client.patch(path, byAnn({ lines: [{ id: made[0]!.id, quantity: 9 }] }))
      const query = `_method=PATCH&_match=${match}`
      const unchanged = await submit(form, query)
      assert.equal(unchanged.status, 412)
      assert.equal(listControls(unchanged.text, 'PATCH').get('lines[0]quantity'), '9')
      form.set('lines[0]quantity', '4')
      const conflict = await submit(form, query)
      assert.equal(conflict.status, 412)
      assert.match(conflict.text, /Others have saved: <bdi>tea, 9<\/bdi>/)
      assert.equal(listControls(conflict.text, 'PATCH').get('lines[0]quantity'), '4')
      assert.deepEqual(await readLines(), [[tea, 9]])
    })

    test('a form creates an object with children', async () => {
      const form = listControls((await open('/orders/?new')).text, 'POST')
      form.set('number', 'N')
      form.set('lines[1]product', String(jam))
      form.set('lines[1]quantity', '3')
      const created = await api().client.post('/orders/', { form: [...form], ...asUser('ann') })
      assert.equal(created.status, 201, created.text)
      const { lines: added, invoice } = created.json()
      assert.deepEqual([added.length, added[0].product, added[0].quantity, invoice], [1, jam, 3, null])
    })

    test('too many rows, and rows with hostile names, are refused or ignored', async () => {
      const send = (rows: readonly (readonly [string, string])[]) =>
        api().client.patch(path, { form: rows, ...asUser('ann') })
      const many = await send(Array.from({ length: 900 }, (_, index) => [`lines[${index}]quantity`, '1'] as const))
      assert.deepEqual(many.json(), { lines: ['Ensure this field has no more than 50 elements.'] })
      for (const name of ['lines[-1]quantity', 'lines[99999999999]quantity', 'lines[]quantity', 'lines[0]', 'lines[0'])
        assert.equal((await send([[name, '1']])).status, 200, name)
      const { id } = made[0]!
      const twice = await send([
        ['lines[7]id', String(id)],
        ['lines[999999999]id', String(id)],
      ])
      assert.deepEqual(twice.json().lines[1], { id: ['This key is given twice.'] })
      const unknown = await send([['lines[0]id', '999999']])
      assert.deepEqual(unknown.json().lines, [{ id: ['Invalid pk "999999" - object does not exist.'] }])
      assert.deepEqual(await readLines(), [[tea, 2]])
    })

    test('only what a field declares is offered: children that can only be removed are read-only', async () => {
      const at = path.replace('orders', 'limited')
      const form = await openForm(at)
      assert.deepEqual(
        [...form.keys()].filter(name => name.startsWith('lines')),
        ['lines[0]id', 'lines[0]product', 'lines[0]quantity'],
      )
      assert.match((await open(at)).text, /<span class="label">Product<\/span><bdi>tea<\/bdi>/)
      assert.doesNotMatch((await open(at)).text, /name="_add"/)
      form.set('lines[0]_remove', 'true')
      assert.equal((await submit(form, '_method=PATCH', at)).status, 303)
      assert.deepEqual(await readLines(), [])
    })

    test('the children of children may be JSON text, and more than twenty children are', async () => {
      const form = await openForm()
      form.set('lines[0]notes', '[{"text": "fragile"}]')
      assert.equal((await submit(form, '_method=PATCH')).status, 303)
      assert.equal((await read()).lines[0].notes[0].text, 'fragile')
      const keys = await api().insert(
        'products',
        Array.from({ length: 21 }, (_, index) => ({ name: `product ${index}` })),
      )
      await api().client.patch(path, byAnn({ lines: keys.map(product => ({ product, quantity: 1 })) }))
      const many = await openForm()
      assert.equal(JSON.parse(many.get('lines')!).length, 21)
      assert.equal(many.has('lines[0]id'), false)
    })

    const readNotes = async () =>
      (await read()).lines.map(({ notes: shown }: { readonly notes: readonly { readonly text: string }[] }) =>
        shown.map(({ text: each }) => each),
      )

    test('the children of children are rows in their row: a form adds, changes and removes them', async () => {
      const form = await openForm()
      assert.equal(form.get('lines[0]notes[0]text'), '')
      assert.equal(form.has('lines[0]notes[1]text'), false)
      form.set('lines[0]notes[0]text', 'hot')
      form.set('lines[0]notes[4]text', 'sweet')
      form.set('lines[1]product', String(jam))
      form.set('lines[1]quantity', '1')
      form.set('lines[1]notes[0]text', 'red')
      assert.equal((await submit(form, '_method=PATCH')).status, 303)
      assert.deepEqual(await readNotes(), [['hot', 'sweet'], ['red']])
      const { lines: before } = await read()
      const second = await openForm()
      assert.equal(second.get('lines[0]notes[1]id'), String(before[0].notes[1].id))
      second.set('lines[0]notes[0]_remove', 'true')
      second.set('lines[0]notes[1]text', 'bitter')
      assert.equal((await submit(second, '_method=PATCH')).status, 303)
      const { lines: now } = await read()
      assert.deepEqual(await readNotes(), [['bitter'], ['red']])
      assert.equal(now[0].notes[0].id, before[0].notes[1].id)
      assert.deepEqual(now[1], before[1])
    })

    test('rows in rows that come back unchanged are not written, also if others have changed them', async () => {
      await api().client.patch(path, byAnn({ lines: [{ id: made[0]!.id, notes: [{ text: 'hot' }] }] }))
      const [{ id: note }] = (await read()).lines[0].notes
      const form = await openForm()
      await api().client.patch(path, byAnn({ lines: [{ id: made[0]!.id, notes: [{ id: note, text: 'cold' }] }] }))
      form.set('number', 'B')
      assert.equal((await submit(form, '_method=PATCH')).status, 303)
      assert.deepEqual([(await read()).number, await readNotes()], ['B', [['cold']]])
      // The line has changed, and its notes have not.
      form.set('lines[0]quantity', '8')
      assert.equal((await submit(form, '_method=PATCH')).status, 303)
      assert.deepEqual([await readLines(), await readNotes()], [[[tea, 8]], [['cold']]])
    })

    test('errors are shown at rows in rows, and what was typed stays', async () => {
      const form = await openForm()
      form.set('lines[0]notes[0]text', 'x'.repeat(21))
      // Only a note was typed, so the line is not ignored.
      form.set('lines[2]notes[0]text', 'lost')
      const refused = await submit(form, '_method=PATCH')
      assert.equal(refused.status, 400)
      assert.match(
        refused.text,
        /id="patch-lines\[0\]notes\[0\]text-errors" ><li>Ensure this field has no more than 20 characters\./,
      )
      assert.match(refused.text, /id="patch-lines\[2\]quantity-errors" ><li>A valid integer is required\./)
      const again = listControls(refused.text, 'PATCH')
      assert.deepEqual(
        ['lines[0]notes[0]text', 'lines[2]notes[0]text'].map(name => again.get(name)),
        ['x'.repeat(21), 'lost'],
      )
      again.set('lines[0]notes[0]text', 'short')
      again.set('lines[2]product', String(jam))
      again.set('lines[2]quantity', '1')
      assert.equal((await submit(again, '_method=PATCH')).status, 303)
      assert.deepEqual(await readNotes(), [['short'], ['lost']])
    })

    test('“Add another” in a row adds a row there alone', async () => {
      const form = await openForm()
      form.set('lines[0]notes[0]text', 'typed')
      form.set('_add', 'lines[0]notes')
      const page = await submit(form, '_method=PATCH&_search=')
      const more = listControls(page.text, 'PATCH')
      assert.deepEqual(
        ['lines[0]notes[0]text', 'lines[0]notes[1]text', 'lines[1]notes[1]text', 'lines[3]quantity'].map(name =>
          more.get(name),
        ),
        ['typed', '', null, null],
      )
      const labels = [...page.text.matchAll(/name="_add" value="([^"]*)" (?:aria-label="([^"]*)")?/g)]
      assert.deepEqual(labels.map(([, name, label]) => [name, label]).slice(0, 2), [
        ['lines[0]notes', 'Add another: Notes'],
        ['lines[1]notes', 'Add another: Notes'],
      ])
      more.set('lines[0]notes[1]text', 'too')
      assert.equal((await submit(more, '_method=PATCH')).status, 303)
      assert.deepEqual(await readNotes(), [['typed', 'too']])
    })

    test('a conflict shows what others have saved in rows in rows', async () => {
      const [, match] = /_match=([^&"]*)/.exec(toReadableText((await open()).text))!
      const form = await openForm()
      await api().client.patch(path, byAnn({ lines: [{ id: made[0]!.id, notes: [{ text: 'theirs' }] }] }))
      const query = `_method=PATCH&_match=${match}`
      const unchanged = await submit(form, query)
      assert.deepEqual(
        [unchanged.status, listControls(unchanged.text, 'PATCH').get('lines[0]notes[0]text')],
        [412, 'theirs'],
      )
      form.set('lines[0]quantity', '4')
      const conflict = await submit(form, query)
      assert.equal(conflict.status, 412)
      const [, next] = /_match=([^&"]*)/.exec(toReadableText(conflict.text))!
      const mine = listControls(conflict.text, 'PATCH')
      assert.equal(mine.get('lines[0]quantity'), '4')
      assert.equal((await submit(mine, `_method=PATCH&_match=${next}`)).status, 303)
      assert.deepEqual([await readLines(), await readNotes()], [[[tea, 4]], [['theirs']]])
    })

    test('rows in rows with hostile names are refused or ignored', async () => {
      const send = (rows: readonly (readonly [string, string])[]) =>
        api().client.patch(path, { form: rows, ...asUser('ann') })
      const key = String(made[0]!.id)
      for (const name of ['lines[0]notes[-1]text', 'lines[0]notes[]text', 'lines[0]notes[0', 'lines[0]notes[0]'])
        assert.equal(
          (
            await send([
              ['lines[0]id', key],
              [name, 'x'],
            ])
          ).status,
          200,
          name,
        )
      assert.deepEqual(await readNotes(), [[]])
      const deep = `lines[0]${'notes[0]'.repeat(2000)}text`
      assert.equal(
        (
          await send([
            ['lines[0]id', key],
            [deep, 'x'],
          ])
        ).status,
        200,
      )
      assert.deepEqual(await readNotes(), [[]])
      const twice = await send([
        ['lines[0]id', key],
        ['lines[0]notes[0]id', '7'],
      ])
      assert.deepEqual(twice.json().lines, [{ notes: [{ id: ['Invalid pk "7" - object does not exist.'] }] }])
    })

    test('relations in rows in rows are selected and searched; a third level is JSON text', async () => {
      const names = Array.from({ length: 25 }, (_, index) => ({ name: `tea ${index}` }))
      await api().insert('products', names)
      const [{ id }] = (await api().rows('invoices')) as readonly { id: number }[] as [{ id: number }]
      const at = `/billed/${id}/`
      const form = await openForm(at)
      assert.deepEqual(
        ['order.number', 'order.lines[0]product', 'order.lines[0]quantity', 'order.lines[0]notes'].map(name =>
          form.get(name),
        ),
        ['A', String(tea), '2', '[]'],
      )
      const page = (await open(at)).text
      const [, url] = /data-search="([^"]*order\.lines\.product)"/.exec(page)!
      const found = await open(`${at}${toReadableText(url!)}&_text=tea`)
      assert.match(found.text, new RegExp(`<option value="${tea}"`))
      form.set('order.lines[1]product', String(jam))
      form.set('order.lines[1]quantity', '3')
      form.set('order.lines[0]notes', '[{"text": "third"}]')
      const saved = await submit(form, '_method=PATCH', at)
      assert.equal(saved.status, 303, saved.text)
      assert.deepEqual(
        [await readLines(), await readNotes()],
        [
          [
            [tea, 2],
            [jam, 3],
          ],
          [['third'], []],
        ],
      )
    })
  },
  { migrations: orderMigrations },
)

const referring = (database: Database) => ({ ...options, resources: addressResources, database })

suite('objects to which columns refer', () => {
  onEitherDatabase(
    referring,
    api => {
      const accept = { accept: 'text/html', ...asUser('ann').headers }
      const headers = { ...accept, 'sec-fetch-site': 'same-origin' }
      const openForm = async (path: string, method = 'PATCH') =>
        listControls((await api().client.get(path, { headers: accept })).text, method)
      const submit = (path: string, form: URLSearchParams, status = 303) =>
        api()
          .client.post(`${path}?_method=PATCH`, { form: [...form], headers })
          .then(response => assert.equal(response.status, status, response.text))
      const make = async (number: string) => {
        const body = { number, address: { street: 'One' }, billing: { street: 'Two' } }
        return (await api().client.post('/orders/', byAnn(body))).json()
      }
      const read = async (id: number) => (await api().client.get(`/orders/${id}/`, asUser('ann'))).json()

      test('a form creates an object with those to which it refers', async () => {
        const form = await openForm('/orders/?new', 'POST')
        form.set('number', 'F')
        const refused = await api().client.post('/orders/', { form: [...form], headers })
        assert.equal(refused.status, 400)
        assert.match(refused.text, /id="post-address-errors" ><li>This field is required\./)
        form.set('address.street', 'x'.repeat(21))
        const wrong = await api().client.post('/orders/', { form: [...form], headers })
        assert.match(wrong.text, /id="post-address.street-errors" ><li>Ensure this field has no more than 20/)
        form.set('address.street', 'High Street')
        const created = await api().client.post('/orders/', { form: [...form], ...asUser('ann') })
        const { address, billing } = created.json()
        assert.deepEqual([address.street, billing], ['High Street', null])
      })

      test('a form changes them, and leaves out the nullable ones only', async () => {
        const { id, address, billing } = await make('A')
        const path = `/orders/${id}/`
        const { text: page } = await api().client.get(path, { headers: accept })
        assert.doesNotMatch(page, /name="address._remove"/)
        const form = listControls(page, 'PATCH')
        assert.deepEqual([form.get('address.id'), form.get('billing.id')], [String(address.id), String(billing.id)])
        form.set('address.street', 'Three')
        form.set('billing._remove', 'true')
        await submit(path, form)
        const changed = await read(id)
        assert.deepEqual([changed.address, changed.billing], [{ ...address, street: 'Three' }, null])
        const again = await openForm(path)
        again.set('billing.street', 'Four')
        await submit(path, again)
        assert.deepEqual((await read(id)).billing.street, 'Four')
      })

      test('a PUT with an unchanged form leaves them', async () => {
        const { id, address } = await make('B')
        const form = await openForm(`/orders/${id}/`)
        const response = await api().client.put(`/orders/${id}/`, { form: [...form], ...asUser('ann') })
        assert.equal(response.status, 200, response.text)
        assert.deepEqual(response.json().address, address)
      })

      test('where bodies only add, the form has an empty row for the one that replaces it', async () => {
        const { id, billing } = await make('C')
        const path = `/replaced/${id}/`
        const form = await openForm(path)
        assert.deepEqual([form.get('billing.street'), form.get('billing.id')], ['', ''])
        await submit(path, form)
        assert.deepEqual((await read(id)).billing, billing)
        form.set('billing.street', 'Five')
        await submit(path, form)
        const { billing: now } = await read(id)
        assert.deepEqual([now.street, now.id === billing.id], ['Five', false])
      })
    },
    { migrations: addressMigrations },
  )
})
