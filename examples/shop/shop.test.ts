import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import type { CreateBody, PatchBody } from 'resource-api'
import { loadData } from 'resource-api/service'
import { type DatabaseKind, type TestClient, type TestService, testService } from 'resource-api/testing'
import { z } from 'zod'
import type { attachments } from './attachments.ts'
import type { categories, prices, products } from './catalogue.ts'
import type { lines } from './lines.ts'
import type { customers, delivery, orders, settings } from './orders.ts'

const withId = z.object({ id: z.string() })
const numbered = z.object({ results: z.array(z.object({ number: z.string() })) })
const located = z.object({ results: z.array(z.object({ url: z.string() })) })
const changedProduct = z.looseObject({ changed: z.string() })
const priced = z.object({ price: z.string() })
const priceList = z.object({ results: z.array(z.object({ id: z.int(), name: z.string(), price: z.string() })) })
const dated = z.object({ created: z.string() })
const withResults = z.object({ results: z.array(z.unknown()) })

const attached = z.object({ url: z.string(), file: z.object({ url: z.string() }) })
const withLineKeys = z.object({ lines: z.array(z.object({ id: z.number() })) })

// The path of the folder with the attachments is relative to the working directory.
const folder = await mkdtemp(join(tmpdir(), 'shop-'))
process.chdir(folder)
const { default: config } = await import('./resource-api.config.ts')
after(() => rm(folder, { recursive: true, force: true }))

const databases: readonly DatabaseKind[] = ['sqlite', 'postgres']

for (const database of databases)
  suite(`the shop on ${database}`, () => {
    let shop: TestService
    let staff: TestClient
    before(async () => {
      shop = await testService(config, { database })
      staff = shop.as(await shop.user('sue', { staff: true }))
      await staff.post('/countries/', { code: 'AT', name: 'Austria' }).expect(201)
      for (const category of [
        { slug: 'drinks', name: 'Drinks' },
        { slug: 'tea', name: 'Tea', parent: 'drinks' },
      ] satisfies CreateBody<typeof categories>[])
        await staff.post('/categories/', category).expect(201)
      const tea: CreateBody<typeof products> = { name: 'Green tea', price: '4.5', cost: '2', category: 'tea' }
      await staff.post('/products/', tea).expect(201)
    })
    after(() => shop.close())

    /** Creates a user with a customer; returns the user's client and the key of the customer. */
    async function createCustomer(
      name: string,
      country = 'AT',
    ): Promise<{ readonly client: TestClient; readonly customer: string }> {
      const client = shop.as(await shop.user(name))
      const body: CreateBody<typeof customers> = { name, email: `${name}@example.org`, country }
      return { client, customer: (await client.post('/customers/', body).expect(201).json(withId)).id }
    }

    test('everyone reads the tree of categories, and staff change it', async () => {
      assert.partialDeepStrictEqual(await shop.get('/categories/drinks/').expect(200).json(), {
        slug: 'drinks',
        parent: null,
        children: ['tea'],
      })
      assert.partialDeepStrictEqual(await shop.get('/categories/tea/products/?search=GREEN').expect(200).json(), {
        count: 1,
        results: [{ name: 'Green tea', price: '4.50', category: 'tea' }],
      })
      await shop.patch('/categories/tea/', { name: 'Teas' }).expect(401)
      for (const [slug, parent] of [
        ['drinks', 'drinks'],
        ['drinks', 'tea'],
      ])
        assert.deepEqual(await staff.patch(`/categories/${slug}/`, { parent }).expect(400).json(), {
          parent: ['A category cannot be below itself.'],
        })
      await staff.patch('/categories/tea/', { slug: 'teas' }).expect(200)
      await shop.get('/categories/tea/').expect(404)
      await staff.patch('/categories/teas/', { slug: 'tea', parent: 'drinks' }).expect(200)
    })

    test('only staff see what a product costs the shop', async () => {
      const shown = {
        url: 'http://localhost/products/1/',
        id: 1,
        name: 'Green tea',
        description: '',
        price: '4.50',
        category: 'tea',
      }
      const { changed, ...product } = await shop.get('/products/1/').expect(200).json(changedProduct)
      assert.deepEqual(product, shown)
      const seenByStaff = await staff.get('/products/1/').expect(200).json()
      assert.deepEqual(seenByStaff, { ...shown, cost: '2.00', changed })
    })

    test('a country keeps the code that it got when it was created', async () => {
      assert.deepEqual(await staff.post('/countries/', { code: 'at', name: 'A' }).expect(400).json(), {
        code: ['Two capital letters, such as AT.'],
      })
      assert.deepEqual(await staff.put('/countries/AT/', { code: 'AU', name: 'Austria' }).expect(400).json(), {
        code: ['This field cannot be changed after creation.'],
      })
      await staff.put('/countries/AT/', { code: 'AT', name: 'Austria' }).expect(200)
    })

    test('a product is changed in the state that the clerk has seen', async () => {
      const path = '/products/1/'
      const { headers } = await staff.get(path).expect(200)
      const tag = headers.get('etag') ?? ''
      await staff.patch(path, { description: 'Mild' }).expect(428)
      await staff.patch(path, { description: 'Mild' }, { headers: { 'if-match': tag } }).expect(200)
      await staff.patch(path, { description: 'Strong' }, { headers: { 'if-match': tag } }).expect(412)
      await staff.delete(path, { headers: { 'if-match': `W/${tag}` } }).expect(412)
      assert.partialDeepStrictEqual(await staff.get(path).expect(200).json(), { description: 'Mild' })
      await staff.patch(path, { description: '' }, { headers: { 'if-match': '*' } }).expect(200)
      const current = await shop.get(path).expect(200)
      await shop.get(path, { headers: { 'if-none-match': current.headers.get('etag') ?? '' } }).expect(304)
      // The date does not tell whether the category has changed.
      await shop.get(path, { headers: { 'if-modified-since': current.headers.get('last-modified') ?? '' } }).expect(200)
      await staff.get(path, { headers: { 'if-none-match': current.headers.get('etag') ?? '' } }).expect(200)
    })

    test('names of products and addresses of customers are unique in any case', async () => {
      const sameTea: CreateBody<typeof products> = { name: 'GREEN TEA', price: '1', category: 'tea' }
      assert.deepEqual(await staff.post('/products/', sameTea).expect(400).json(), {
        name: ['There is a product with this name.'],
      })
      const { client } = await createCustomer('eve')
      const sameEve: CreateBody<typeof customers> = { name: 'Eve', email: 'EVE@example.org', country: 'AT' }
      assert.deepEqual(await client.post('/customers/', sameEve).expect(400).json(), {
        email: ['There is a customer with this address.'],
      })
    })

    test('users order for their customers, and see only their own orders', async () => {
      const [{ client: ada, customer }, { client: bob }] = [await createCustomer('ada'), await createCustomer('bob')]
      const order: CreateBody<typeof orders> = { number: '2026/7', customer }
      await bob.post('/orders/', order).expect(400)
      const { id } = await ada.post('/orders/', order).expect(201).json(withId)
      assert.match(id, /^ord_\w{16}$/)
      const line: CreateBody<typeof lines> = { order: '2026/7', product: 1, quantity: 3 }
      await ada.post('/lines/', line).expect(201)
      assert.deepEqual(await ada.post('/orders/2026%2F7/lines/', { product: 1 }).expect(400).json(), {
        non_field_errors: ['The fields order, product must make a unique set.'],
      })
      await staff.patch('/products/1/', { price: '5' }, { headers: { 'if-match': '*' } }).expect(200)
      assert.partialDeepStrictEqual(await ada.get('/orders/2026%2F7/').expect(200).json(), {
        id,
        number: '2026/7',
        customer: { id: customer, name: 'ada' },
        country: 'Austria',
        status: 'open',
        lines: [{ product: { id: 1, name: 'Green tea' }, quantity: 3, price: '4.50' }],
        total: '13.50',
      })
      assert.partialDeepStrictEqual(await ada.get('/lines/').expect(200).json(), { results: [{ category: 'Tea' }] })
      assert.partialDeepStrictEqual(await ada.get(`/customers/${customer}/orders/`).expect(200).json(), {
        results: [
          {
            url: 'http://localhost/orders/2026%2F7/',
            number: '2026/7',
            status: 'open',
            total: '13.50',
            watched: false,
          },
        ],
      })
      for (const { client, query, count } of [
        { client: ada, query: 'status__in=open,shipped&total__gte=13.5&customer__country__in=AT,DE', count: 1 },
        { client: ada, query: 'total__gte=13.51', count: 0 },
        { client: bob, query: 'customer__country__in=AT', count: 0 },
      ])
        assert.partialDeepStrictEqual(await client.get(`/orders/?${query}`).expect(200).json(), { count })
      await bob.get('/orders/2026%2F7/').expect(404)
      for (const path of ['/orders/', '/lines/', '/events/'])
        assert.partialDeepStrictEqual(await bob.get(path).expect(200).json(), { count: 0 })
      assert.deepEqual(await bob.post('/lines/', line).expect(400).json(), {
        order: ['Object with number=2026/7 does not exist.'],
      })
    })

    test('callers search, filter and order the orders that they see', async () => {
      await staff.post('/countries/', { code: 'IN', name: 'India' }).expect(201)
      const coffee: CreateBody<typeof products> = { name: 'Iced coffee', price: '7.2', cost: '3', category: 'drinks' }
      await staff.post('/products/', coffee).expect(201)
      const [fay, gus] = [await createCustomer('fay', 'IN'), await createCustomer('gus', 'IN')]
      for (const { user, number, due, product, quantity } of [
        { user: fay, number: 'F1', due: '2020-01-31T12:00:00Z', product: 1, quantity: 2 },
        { user: fay, number: 'F2', due: null, product: 2, quantity: 1 },
        { user: gus, number: 'G1', due: null, product: 2, quantity: 3 },
      ]) {
        const order: CreateBody<typeof orders> = { number, customer: user.customer, due }
        await user.client.post('/orders/', order).expect(201)
        await user.client.post('/lines/', { order: number, product, quantity }).expect(201)
      }
      for (const { query, found } of [
        { query: 'search="iced coffee"', found: { fay: ['F2'], gus: ['G1'], staff: ['G1', 'F2'] } },
        { query: 'search=gus', found: { fay: [], gus: ['G1'], staff: ['G1'] } },
        { query: 'search=fay "green tea"', found: { fay: ['F1'], gus: [], staff: ['F1'] } },
        { query: 'lines__product__category=tea', found: { fay: ['F1'], gus: [], staff: ['F1'] } },
        { query: 'late=true', found: { fay: ['F1'], gus: [], staff: ['F1'] } },
        { query: 'late=false&status__not__in=shipped', found: { fay: ['F2'], gus: ['G1'], staff: ['G1', 'F2'] } },
        { query: 'or.late=true&or.total__gte=20', found: { fay: ['F1'], gus: ['G1'], staff: ['G1', 'F1'] } },
        { query: 'ordering=total', found: { fay: ['F2', 'F1'], gus: ['G1'], staff: ['F2', 'F1', 'G1'] } },
        {
          query: 'ordering=customer__name,-total',
          found: { fay: ['F1', 'F2'], gus: ['G1'], staff: ['F1', 'F2', 'G1'] },
        },
      ])
        for (const { client, expected } of [
          { client: fay.client, expected: found.fay },
          { client: gus.client, expected: found.gus },
          { client: staff, expected: found.staff },
        ]) {
          const { results } = await client.get(`/orders/?customer__country__in=IN&${query}`).expect(200).json(numbered)
          assert.deepEqual(
            results.map(({ number }) => number),
            expected,
            query,
          )
        }
      assert.deepEqual(await fay.client.get('/orders/?lines__products__category=tea').expect(400).json(), {
        lines__products__category: ['There is no such parameter. Did you mean "lines__product__category"?'],
      })
    })

    test('products are found by their words, and only staff filter by cost', async () => {
      const earl: CreateBody<typeof products> = {
        name: 'Earl Grey',
        description: 'Black tea with bergamot',
        price: '5',
        cost: '9',
        category: 'tea',
      }
      await staff.post('/products/', earl).expect(201)
      for (const { client, query } of [
        { client: shop, query: 'words=bergamot+"black+tea"' },
        { client: shop, query: 'search=earl+tea&price__lte=5' },
        { client: staff, query: 'cost__gte=9' },
      ])
        assert.partialDeepStrictEqual(await client.get(`/products/?${query}`).expect(200).json(), {
          results: [{ name: 'Earl Grey' }],
        })
      await shop.get('/products/?cost__gte=9').expect(400)
    })

    test('lists of events are bounded', async () => {
      assert.partialDeepStrictEqual(await staff.get('/events/?time__date=2020-01-01').expect(200).json(), {
        count: 0,
        count_is_exact: true,
      })
      await staff.get('/events/?page=502').expect(400)
    })

    test('clients choose what they are shown', async () => {
      const { client: kim, customer } = await createCustomer('kim')
      await kim.post('/orders/', { number: '2026/20', customer }).expect(201)
      await kim.post('/lines/', { order: '2026/20', product: 1 }).expect(201)
      const path = '/orders/2026%2F20/?expand=customer.country,lines.product'
      const order = await kim.get(`${path}&fields=number,customer.country,lines.product.name`).expect(200).json()
      const country = { url: 'http://localhost/countries/AT/', code: 'AT', name: 'Austria' }
      assert.deepEqual(order, {
        number: '2026/20',
        customer: { country },
        lines: [{ product: { name: 'Green tea' } }],
      })
      const lines = '/lines/?expand=product.category,order&fields=product.category.slug,order.number'
      const { results } = withResults.parse(await kim.get(lines).expect(200).json())
      assert.deepEqual(results, [{ order: { number: '2026/20' }, product: { category: { slug: 'tea' } } }])
      assert.deepEqual(await kim.get('/lines/?expand=product&fields=product.cost').expect(400).json(), {
        fields: ['There is no field "product.cost".'],
      })
      await staff.get('/lines/?expand=product&fields=product.cost').expect(200)
    })

    test('an order keeps its number, and its events are recorded with it', async () => {
      const { client: tom, customer } = await createCustomer('tom')
      const order: CreateBody<typeof orders> = { number: 'T1', customer, note: 'A present' }
      await tom.post('/orders/', order).expect(201)
      assert.deepEqual(await tom.patch('/orders/T1/', { number: 'T2' }).expect(400).json(), {
        number: ['This field cannot be changed after creation.'],
      })
      const change: PatchBody<typeof orders> = { note: 'No present' }
      await tom.patch('/orders/T1/', change).expect(200)
      await tom.post('/orders/T1/ship/').expect(403)
      assert.partialDeepStrictEqual(await staff.post('/orders/T1/ship/').expect(200).json(), { status: 'shipped' })
      await staff.post('/orders/T1/ship/').expect(409)
      assert.partialDeepStrictEqual(await tom.get('/orders/T1/events/').expect(200).json(), {
        results: [
          { order: 'T1', kind: 'shipped' },
          { order: 'T1', kind: 'changed' },
          { order: 'T1', kind: 'created' },
        ],
      })
      await tom.post('/events/', { order: 'T1', kind: 'shipped' }).expect(405)
    })

    test('all URLs of an order and its lines exist below its customer', async () => {
      const [{ client: ivy, customer }, jon] = [await createCustomer('ivy'), await createCustomer('jon')]
      const above = `/customers/${customer}/orders/`
      const { headers } = await ivy.post(above, { number: 'I1', note: 'Soon' }).expect(201)
      assert.equal(headers.get('location'), 'http://localhost/orders/I1/')
      await ivy.post(`${above}I1/lines/`, { product: 1, quantity: 2 }).expect(201)
      const { results } = await ivy.get(`${above}I1/lines/`).expect(200).json(located)
      const line = new URL(results[0]?.url ?? '').pathname
      assert.partialDeepStrictEqual(await ivy.get(`${above}I1${line}`).expect(200).json(), { order: 'I1', quantity: 2 })
      await ivy.patch(`${above}I1${line}`, { quantity: 3 }).expect(200)
      await ivy.patch(`${above}I1/`, { note: 'Now' }).expect(200)
      assert.partialDeepStrictEqual(await ivy.get('/orders/I1/').expect(200).json(), { note: 'Now' })
      await ivy.put(`${above}I1/watch/`).expect(204)
      await staff.post(`${above}I1/ship/`).expect(200)
      for (const path of [above, `${above}I1/`, `${above}I1/lines/`, `${above}I1${line}`, `${above}I1/events/`]) {
        await jon.client.get(path).expect(404)
        await ivy.get(path.replace(customer, jon.customer)).expect(404)
        await staff.get(path.replace(customer, jon.customer)).expect(path === above ? 200 : 404)
      }
      await jon.client.put(`${above}I1/watch/`).expect(404)
    })

    test('staff read the sales of a year, also of one customer', async () => {
      const { client: lea, customer } = await createCustomer('lea')
      await lea.post('/orders/', { number: 'L1', customer }).expect(201)
      await lea.post('/lines/', { order: 'L1', product: 1, quantity: 2 }).expect(201)
      const { price } = await shop.get('/products/1/').expect(200).json(priced)
      const { created } = await lea.get('/orders/L1/').expect(200).json(dated)
      const year = created.slice(0, 4)
      const path = `/customers/${customer}/orders/sales/?year=${year}`
      const sales = { orders: 1, total: (2 * Number(price)).toFixed(2) }
      assert.deepEqual(await staff.get(path).expect(200).json(), sales)
      assert.notDeepEqual(await staff.get(`/orders/sales/?year=${year}`).expect(200).json(), sales)
      assert.deepEqual(await staff.get('/orders/sales/?year=2001').expect(200).json(), { orders: 0, total: '0.00' })
      await staff.get('/orders/sales/?year=last').expect(400)
      await lea.get(path).expect(403)
    })

    test('a repeated request takes effect once', async () => {
      const [{ client: pia, customer }, ron] = [await createCustomer('pia'), await createCustomer('ron')]
      const once = { headers: { 'idempotency-key': 'a-key-of-the-client' } }
      const order: CreateBody<typeof orders> = { number: 'P1', customer }
      const first = await pia.post('/orders/', order, once).expect(201)
      const again = await pia.post('/orders/', order, once).expect(201)
      assert.deepEqual([again.text, again.headers.get('location')], [first.text, first.headers.get('location')])
      await pia.post('/orders/', order).expect(400)
      await pia.post('/orders/', { ...order, number: 'P2' }, once).expect(422)
      await ron.client.post('/orders/', { number: 'R1', customer: ron.customer }, once).expect(201)
      const shipped = await staff.post('/orders/P1/ship/', undefined, once).expect(200)
      assert.equal((await staff.post('/orders/P1/ship/', undefined, once).expect(200)).text, shipped.text)
      await staff.post('/orders/P1/ship/').expect(409)
      assert.partialDeepStrictEqual(await pia.get('/orders/P1/events/').expect(200).json(), { count: 2 })
    })

    test('an order has one delivery, and a user has settings', async () => {
      const [{ client: max, customer }, ned] = [await createCustomer('max'), await createCustomer('ned')]
      await max.post('/orders/', { number: 'M 1', customer }).expect(201)
      const path = '/orders/M%201/delivery/'
      await max.get(path).expect(404)
      const address: CreateBody<typeof delivery> = { street: 'Ring 1', city: 'Vienna', country: 'AT' }
      assert.deepEqual(await max.put(path, address).expect(201).json(), { url: `http://localhost${path}`, ...address })
      await max.put(path, { ...address, city: 'Graz' }).expect(200)
      await max.patch(`/customers/${customer}${path}`, { street: 'Ring 2' }).expect(200)
      assert.partialDeepStrictEqual(await staff.get(path).expect(200).json(), { street: 'Ring 2', city: 'Graz' })
      for (const method of ['GET', 'PUT', 'PATCH'])
        await ned.client.request({ method, path, body: address }).expect(404)

      await max.get('/settings/').expect(404)
      const chosen: CreateBody<typeof settings> = { customer }
      assert.deepEqual(await max.put('/settings/', chosen).expect(201).json(), { customer, newsletter: false })
      assert.deepEqual(await max.patch('/settings/', { newsletter: true }).expect(200).json(), {
        customer,
        newsletter: true,
      })
      await ned.client.put('/settings/', chosen).expect(400)
      await ned.client.get('/settings/').expect(404)
      await shop.get('/settings/').expect(401)
    })

    test('each user watches orders', async () => {
      const { client: uma, customer } = await createCustomer('uma')
      const order: CreateBody<typeof orders> = { number: 'U1', customer }
      await uma.post('/orders/', order).expect(201)
      await uma.put('/orders/U1/watch/', {}).expect(204)
      await uma.put('/orders/U1/watch/', {}).expect(204)
      await uma.post('/orders/', { number: 'U2', customer }).expect(201)
      const watched = { count: 1, results: [{ number: 'U1', watched: true }] }
      for (const path of ['/orders/watched/', `/customers/${customer}/orders/watched/`])
        assert.partialDeepStrictEqual(await uma.get(path).expect(200).json(), watched)
      assert.partialDeepStrictEqual(await staff.get('/orders/U1/').expect(200).json(), { watched: false })
      await uma.delete('/orders/U1/watch/').expect(204)
      assert.partialDeepStrictEqual(await uma.get('/orders/U1/').expect(200).json(), { watched: false })
    })

    test('an order is written with its lines', async () => {
      const { client: ann, customer } = await createCustomer('ann')
      const cups: number[] = []
      for (const name of ['Cup', 'Mug', 'Bowl']) {
        const cup: CreateBody<typeof products> = { name, price: '2', category: 'drinks' }
        cups.push(
          (
            await staff
              .post('/products/', cup)
              .expect(201)
              .json(z.object({ id: z.int() }))
          ).id,
        )
      }
      const [cup = 0, mug = 0, bowl = 0] = cups
      const order: CreateBody<typeof orders> = {
        number: 'N1',
        customer,
        lines: [{ product: cup, quantity: 2 }, { product: mug }],
      }
      const wrong = [{ product: cup }, { product: 0, quantity: 0 }, {}]
      assert.deepEqual(
        await ann
          .post('/orders/', { ...order, lines: wrong })
          .expect(400)
          .json(),
        {
          lines: [
            {},
            {
              product: ['Invalid pk "0" - object does not exist.'],
              quantity: ['Ensure this value is greater than or equal to 1.'],
            },
            { product: ['This field is required.'] },
          ],
        },
      )
      await ann.get('/orders/N1/').expect(404)
      const created = await ann.post('/orders/', order).expect(201)
      assert.partialDeepStrictEqual(await created.json(), { total: '6.00' })
      const [first, second] = (await created.json(withLineKeys)).lines
      assert.ok(first && second)
      const change: PatchBody<typeof orders> = { lines: [{ id: second.id, quantity: 3 }, { product: bowl }] }
      assert.partialDeepStrictEqual(await ann.patch('/orders/N1/', change).expect(200).json(), {
        lines: [
          { id: second.id, product: { name: 'Mug' }, quantity: 3, price: '2.00' },
          { product: { name: 'Bowl' }, quantity: 1, price: '2.00' },
        ],
        total: '8.00',
      })
      const removed = { lines: [{ id: first.id, quantity: 1 }] }
      assert.deepEqual(await ann.patch('/orders/N1/', removed).expect(400).json(), {
        lines: [{ id: [`Invalid pk "${first.id}" - object does not exist.`] }],
      })
      await ann.patch('/orders/N1/', { note: 'Thanks' }).expect(200)
      assert.partialDeepStrictEqual(await ann.get('/orders/N1/').expect(200).json(), { total: '8.00' })
      assert.partialDeepStrictEqual(await ann.patch('/orders/N1/', { lines: [] }).expect(200).json(), { lines: [] })
    })

    test('staff change the prices of many products, all or none', async () => {
      const { results } = await staff.get('/prices/').expect(200).json(priceList)
      const [one, other] = results
      assert.ok(one && other)
      const raised: (PatchBody<typeof prices> & { id: number })[] = [
        { id: one.id, price: '11' },
        { id: other.id, price: '12' },
      ]
      assert.deepEqual(
        await staff
          .patch('/prices/', [...raised, { id: 0, price: '-1' }])
          .expect(400)
          .json(),
        [{}, {}, { id: ['Invalid pk "0" - object does not exist.'] }],
      )
      assert.deepEqual((await staff.get('/prices/').expect(200).json(priceList)).results, results)
      assert.deepEqual(await staff.patch('/prices/', raised).expect(200).json(), [
        { ...one, price: '11.00' },
        { ...other, price: '12.00' },
      ])
      assert.partialDeepStrictEqual(await shop.get(`/products/${one.id}/`).expect(200).json(), { price: '11.00' })
      const back = [one, other].map(({ id, price }) => ({ id, price }))
      await staff.patch('/prices/', back).expect(200)
      const { client } = await createCustomer('zoe')
      await client.patch('/prices/', raised).expect(403)
      await staff.post('/prices/', raised).expect(405)
    })

    test('objects that need a file are not imported from a table', async () => {
      const readPage = async (path: string) => (await staff.get(path, { headers: { accept: 'text/html' } })).text
      assert.match(await readPage('/products/'), /\/products\/\?import"/)
      assert.doesNotMatch(await readPage('/attachments/'), /\?import"/)
      assert.doesNotMatch(await readPage('/attachments/?import'), /type="file" name="file" accept="\.csv/)
    })

    test('users attach files to their orders', async () => {
      const [{ client: eli, customer }, { client: mia }] = [await createCustomer('eli'), await createCustomer('mia')]
      await eli.post('/orders/', { number: 'E1', customer }).expect(201)
      const body = {
        order: 'E1',
        file: new File(['Leave it at the door.'], '../note.txt'),
      } satisfies CreateBody<typeof attachments>
      const created = await eli.post('/attachments/', createForm(body)).expect(201).json()
      assert.partialDeepStrictEqual(created, { order: 'E1', file: { name: 'note.txt', type: 'text/plain', size: 21 } })
      const { url, file } = attached.parse(created)
      const { text, headers } = await eli.get(file.url).expect(200)
      assert.equal(text, 'Leave it at the door.')
      const part = await eli.get(file.url, { headers: { range: 'bytes=0-4' } }).expect(206)
      assert.equal(part.text, 'Leave')
      await eli.get(file.url, { headers: { 'if-none-match': headers.get('etag') ?? '' } }).expect(304)
      for (const path of [url, file.url]) await mia.get(path).expect(404)
      await mia.post('/orders/E1/attachments/', createForm({ file: body.file })).expect(404)
      for (const { content, message } of [
        { content: 'PK\u0003\u0004', message: /type/ },
        { content: '', message: /empty/ },
        { content: 'a'.repeat(5_000_001), message: /large|size|bytes|MB/ },
      ]) {
        const response = await eli.post('/orders/E1/attachments/', createForm({ file: new File([content], 'a.txt') }))
        assert.equal(response.status, 400)
        assert.match(response.text, message)
      }
      assert.partialDeepStrictEqual(await eli.get('/orders/E1/attachments/').expect(200).json(), { count: 1 })
      await eli.patch(url, createForm({ file: new File(['Ring twice.'], 'note.txt') })).expect(200)
      assert.equal((await eli.get(file.url).expect(200)).text, 'Ring twice.')
      await eli.delete(url).expect(204)
      await eli.get(file.url).expect(404)
    })

    test('the administration and the pages belong to the service', async () => {
      const browser = await shop.login(await shop.user('root', { staff: true, superuser: true }))
      const page = await browser.get('/admin/orders/', { headers: { accept: 'text/html' } }).expect(200)
      assert.match(page.text, /The tea shop/)
      assert.match(page.text, /value="shipped" ?>Shipped</)
      await browser.post('/admin/products/', { name: 'Cocoa', price: 5, category: 'drinks' }).expect(201)
    })

    test('the demonstration data fit the resources', async () => {
      await using demo = await testService(config, { database })
      for (const { demo: demonstration } of demo.services.profiles) await loadData(demo.services, demonstration.data)
      const clerk = demo.as(await demo.user('sue', { staff: true }))
      assert.partialDeepStrictEqual(await clerk.get('/orders/2026-0001/').expect(200).json(), {
        customer: { name: 'Grace' },
        total: '16.20',
      })
    })
  })

function createForm(values: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(values)) form.set(name, value)
  return form
}
