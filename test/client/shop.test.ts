// The client against a real service: the shop, over a socket.

import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import {
  type Client,
  type ClientOptions,
  createClient,
  isConflict,
  isForbidden,
  isInvalid,
  isNotFound,
  isPreconditionFailed,
  isThrottled,
  isUnauthenticated,
} from 'resource-api/client'
import { type DatabaseKind, type TestService, testService } from 'resource-api/testing'
import type { shop } from '../../examples/shop/resource-api.config.ts'

// The path of the folder with the attachments is relative to the working directory.
const folder = await mkdtemp(join(tmpdir(), 'shop-client-'))
process.chdir(folder)
const { default: config } = await import('../../examples/shop/resource-api.config.ts')
after(() => rm(folder, { recursive: true, force: true }))

type Shop = Client<typeof shop>

const catchError = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    value => assert.fail(`resolved with ${JSON.stringify(value)}`),
    error => error,
  )

const databases: readonly DatabaseKind[] = ['sqlite', 'postgres']

for (const database of databases)
  suite(`the shop on ${database}`, () => {
    let service: TestService
    let staff: Shop
    let ann: Shop
    let customer: string

    const open = (options: Partial<ClientOptions> = {}): Shop =>
      createClient<typeof shop>({ baseUrl: `${service.origin}/`, ...options })

    before(async () => {
      service = await testService({ ...config, throttles: {} }, { database, socket: true })
      const { token } = await service.user('sue', { staff: true })
      staff = open({ token })
      ann = open({ token: async () => (await annUser).token })
      const annUser = service.user('ann')
      await staff.countries.create({ code: 'AT', name: 'Austria' })
      await staff.categories.create({ slug: 'tea', name: 'Tea' })
      for (const name of ['Green tea', 'Black tea', 'White tea'])
        await staff.products.create({ name, price: '4.50', cost: '2', category: 'tea' })
      customer = (await ann.customers.create({ name: 'Ann', email: 'ann@example.org', country: 'AT' })).id
    })
    after(() => service?.close())

    const order = async (number: string) =>
      ann.orders.create({ number, customer, lines: [{ product: 1, quantity: 2 }, { product: 2 }] })

    test('creates with children, and retrieves, lists, changes', async () => {
      const made = await order('A-1')
      assert.equal(made.total, '13.50')
      assert.deepEqual(
        made.lines.map(({ product, quantity }) => [product.name, quantity]),
        [
          ['Green tea', 2],
          ['Black tea', 1],
        ],
      )
      const page = await ann.orders.list({ status__in: ['open'], total__gte: '10.00', ordering: '-created' })
      assert.deepEqual([page.count, page.results[0]?.number, page.results[0]?.watched], [1, 'A-1', false])
      const changed = await ann.orders('A-1').update({ note: 'soon' })
      assert.equal(changed.note, 'soon')
      assert.equal((await ann.orders('A-1').retrieve()).note, 'soon')
    })

    test('expand and fields', async () => {
      await order('B-1')
      const shown = await ann.orders('B-1').retrieve({ expand: ['customer.country', 'lines.product'] })
      assert.equal(shown.customer.country.name, 'Austria')
      assert.equal(shown.lines[0]?.product.category, 'tea')
      const { results } = await ann.orders.list({ fields: ['number', 'total'], search: 'B-1' })
      assert.deepEqual(results, [{ number: 'B-1', total: '13.50' }])
      const { lines } = await ann.orders('B-1').retrieve({ fields: ['lines.quantity'] })
      assert.deepEqual(lines, [{ quantity: 2 }, { quantity: 1 }])
      const without = await ann.orders('B-1').retrieve({ omit: ['lines', 'url'] })
      assert.equal('lines' in without, false)
      assert.equal(without.number, 'B-1')
    })

    test('all() reads every page', async () => {
      await staff.categories.create({ slug: 'many', name: 'Many' })
      for (let number = 0; number < 25; number++)
        await staff.products.create({ name: `P${String(number).padStart(2, '0')}`, price: '1.00', category: 'many' })
      const names: string[] = []
      for await (const { name } of open().products.all({ category: 'many', ordering: '-name' })) names.push(name)
      assert.equal(names.length, 25)
      assert.deepEqual([names[0], names.at(-1)], ['P24', 'P00'])
    })

    test('resources below parents, views, further lists and singletons', async () => {
      await order('C-1')
      const below = await ann.customers(customer).orders.list({ search: 'C-1' })
      assert.equal(below.results[0]?.number, 'C-1')
      assert.equal((await staff.orders('C-1').ship(undefined, { idempotencyKey: 'ship' })).status, 'shipped')
      assert.equal((await staff.orders('C-1').ship(undefined, { idempotencyKey: 'ship' })).status, 'shipped')
      const again = await catchError(staff.orders('C-1').ship())
      assert.ok(isConflict(again))
      await ann.orders('C-1').watch.put()
      assert.deepEqual(
        (await ann.orders.watched.list()).results.map(({ number }) => number),
        ['C-1'],
      )
      await ann.orders('C-1').watch.delete()
      const year = new Date().getUTCFullYear()
      const sales = await staff.orders.view('sales').get({ year })
      assert.equal(typeof sales.orders, 'number')
      assert.deepEqual(await ann.settings.replace({ customer, newsletter: true }), { customer, newsletter: true })
      assert.equal((await ann.settings.update({ newsletter: false })).newsletter, false)
      await ann.orders('C-1').delivery.replace({ street: 'Main', city: 'Graz', country: 'AT' })
      assert.equal((await ann.orders('C-1').delivery.retrieve()).city, 'Graz')
    })

    test('many objects', async () => {
      const [first, second] = (await staff.prices.list()).results
      const bodies = [
        { id: first!.id, price: '5.00' },
        { id: second!.id, price: '6.00' },
      ]
      assert.deepEqual(
        (await staff.prices.update(bodies)).map(({ price }) => price),
        ['5.00', '6.00'],
      )
      const refused = await staff.prices.update([bodies[0]!, { id: second!.id, price: 'x' }]).result()
      assert.ok(!refused.ok && isInvalid(refused.error))
      assert.deepEqual(refused.error.data, [{}, { price: ['A valid number is required.'] }])
    })

    test('errors are typed by the body', async () => {
      const refused = await ann.orders
        .create({ number: '', customer, lines: [{ product: 1 }, { product: 99, quantity: 0 }] })
        .result()
      assert.ok(!refused.ok && isInvalid(refused.error))
      const { number, lines } = refused.error.data
      assert.deepEqual(number, ['This field may not be blank.'])
      assert.deepEqual(lines?.[1], {
        product: ['Invalid pk "99" - object does not exist.'],
        quantity: ['Ensure this value is greater than or equal to 1.'],
      })
      const unknown = await catchError(ann.orders.list({ ...{ nothing: 1 } }))
      assert.ok(isInvalid(unknown))
      assert.deepEqual(Object.keys(unknown.data), ['nothing'])
      assert.ok(isNotFound(await catchError(ann.orders('none').retrieve())))
      assert.ok(isUnauthenticated(await catchError(open().orders.list())))
      assert.ok(isForbidden(await catchError(ann.prices.list())))
    })

    test('If-Match from what was read, and the same object if it has not changed', async () => {
      const product = await staff.products(1).retrieve()
      assert.equal(await staff.products(1).retrieve({}, { ifNoneMatch: product }), product)
      const changed = await staff.products(1).update({ price: '7.00' }, { ifMatch: product })
      const late = await catchError(staff.products(1).update({ price: '8.00' }, { ifMatch: product }))
      assert.ok(isPreconditionFailed(late))
      assert.equal((await staff.products(1).update({ price: '9.00' }, { ifMatch: changed })).price, '9.00')
      assert.notEqual(await staff.products(1).retrieve({}, { ifNoneMatch: product }), product)
    })

    test('an idempotency key makes a create take effect once', async () => {
      const body = { number: 'D-1', customer }
      const first = await ann.orders.create(body, { idempotencyKey: 'd1' })
      assert.deepEqual(await ann.orders.create(body, { idempotencyKey: 'd1' }), first)
    })

    test('files are sent as a form', async () => {
      await order('E-1')
      const heard: string[] = []
      const made = await ann.attachments.create(
        { order: 'E-1', file: new File(['A note.'], 'note.txt', { type: 'text/plain' }) },
        { onProgress: ({ phase }) => void heard.push(phase) },
      )
      assert.partialDeepStrictEqual(made.file, { name: 'note.txt', type: 'text/plain', size: 7 })
      assert.equal(await (await ann.fetch(made.file.url)).text(), 'A note.')
      assert.deepEqual([...new Set(heard)], ['upload', 'download'])
    })

    test('a session: cookies, and the CSRF token in the header', async () => {
      const browser = await service.login(await service.user(`dan`))
      const jar = Object.fromEntries(browser.cookies) as Record<string, string>
      const dan = open({
        session: () => jar.csrftoken,
        headers: {
          cookie: Object.entries(jar)
            .map(pair => pair.join('='))
            .join('; '),
          origin: service.origin,
        },
      })
      assert.equal((await dan.settings.replace({ newsletter: true })).newsletter, true)
      const without = open({ headers: { cookie: `sessionid=${jar.sessionid}`, origin: service.origin } })
      assert.ok(isForbidden(await catchError(without.settings.replace({ newsletter: false }))))
    })

    test('a throttled request says how long to wait', async context => {
      const throttled = await testService({ ...config, throttles: { anon: '1/minute' } }, { database, socket: true })
      context.after(() => throttled.close())
      const client = createClient<typeof shop>({ baseUrl: throttled.origin, retries: 0 })
      await client.products.list()
      const error = await catchError(client.products.list())
      assert.ok(isThrottled(error) && error.seconds! > 0 && error.seconds! <= 60)
    })
  })
