import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loadData } from 'resource-api/service'
import { type TestService, testService } from 'resource-api/testing'
import config from './resource-api.config.ts'

let shop: TestService
before(async () => {
  shop = await testService(config)
})
after(() => shop.close())

test('everyone sees the products, and staff change them', async () => {
  const staff = shop.as(await shop.user('sue', { staff: true }))
  const { headers } = await staff.post('/products/', { name: 'Tea', price: '4.5' }).expect(201)
  const url = headers.get('location')!
  assert.deepEqual(await shop.get('/products/').expect(200).json(), {
    count: 1,
    next: null,
    previous: null,
    results: [{ url, name: 'Tea', price: '4.50' }],
  })
  await shop.patch(url, { price: 1 }).expect(401)
  await shop
    .as(await shop.user('tom'))
    .patch(url, { price: 1 })
    .expect(403)
})

test('customers order, and see only their own orders', async () => {
  const [ada, bob, staff] = await Promise.all([
    shop.user('ada').then(shop.as),
    shop.user('bob').then(shop.as),
    shop.user('steve', { staff: true }).then(shop.as),
  ])
  const product = (await staff.post('/products/', { name: 'Coffee', price: '7.20' }).expect(201)).headers.get(
    'location',
  )
  await shop.post('/orders/', {}).expect(401)
  const order = (await ada.post('/orders/', {}).expect(201)).headers.get('location')!
  const line = { product, quantity: 3 }
  await ada.post(`${order}lines/`, line).expect(201)
  const errors = await ada
    .post('/lines/', { ...line, order })
    .expect(400)
    .json()
  assert.deepEqual(errors, { non_field_errors: ['The fields order, product must make a unique set.'] })

  const shown = { customer: 'ada', status: 'open', total: '21.60' }
  assert.partialDeepStrictEqual(await ada.get(order).expect(200).json(), shown)
  await bob.get(order).expect(404)
  for (const [customer, query, count] of [
    [ada, 'status__in=open,shipped&total__gte=21.6', 1],
    [ada, 'total__gte=21.61', 0],
    [bob, 'total__gte=0', 0],
  ] as const)
    assert.partialDeepStrictEqual(await customer.get(`/orders/?${query}`).expect(200).json(), { count })
  assert.deepEqual(
    await bob
      .post('/lines/', { ...line, order })
      .expect(400)
      .json(),
    {
      order: ['Invalid hyperlink - Object does not exist.'],
    },
  )
  for (const path of ['/orders/', '/lines/'])
    assert.partialDeepStrictEqual(await bob.get(path).expect(200).json(), { count: 0 })

  await ada.post(`${order}ship/`).expect(403)
  assert.partialDeepStrictEqual(await staff.post(`${order}ship/`).expect(200).json(), { status: 'shipped' })
  assert.partialDeepStrictEqual(await staff.get('/orders/?status=shipped').json(), { count: 1 })
})

test('the administration and the pages belong to the service', async () => {
  const browser = await shop.login(await shop.user('root', { staff: true, superuser: true }))
  const page = await browser.get('/admin/orders/', { headers: { accept: 'text/html' } }).expect(200)
  assert.match(page.text, /The tea shop/)
  await browser.post('/admin/products/', { name: 'Cocoa', price: 5 }).expect(201)
})

test('the demonstration data fit the resources', async () => {
  await using demo = await testService(config)
  const [profile] = demo.services.profiles
  await loadData(demo.services, profile!.demo.data)
  const staff = demo.as(await demo.user('sue', { staff: true }))
  assert.partialDeepStrictEqual(await staff.get('/orders/').expect(200).json(), {
    results: [{ customer: 'grace', total: '16.20' }],
  })
})
