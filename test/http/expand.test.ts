// Lists and objects with `?fields=`, `?omit=` and `?expand=`.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import fc from 'fast-check'
import { browsable, jsonRenderer } from 'resource-api'
import { anyCharacter } from '../support/any-text.ts'
import { createExpandedShop } from '../support/expanded-shop.ts'
import { insertShop, shopMigrations } from '../support/filtered-shop.ts'
import { toReadableText } from '../support/html.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

type Caller = 'ann' | 'bob' | 'sue' | 'nobody'
type Row = Readonly<Record<string, unknown>>

const statements: string[] = []

onEachDatabase(
  () => ({
    resources: createExpandedShop({ ignoreRowFilter: true }),
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    secret: 'x'.repeat(32),
  }),
  api => {
    before(() => insertShop(api().database))

    const request = (path: string, caller: Caller) => api().client.get(path, caller === 'nobody' ? {} : asUser(caller))
    const get = async (path: string, caller: Caller = 'nobody') => {
      const response = await request(path, caller)
      assert.equal(response.status, 200, `${path}: ${response.text}`)
      return response.json()
    }
    /** The object as its own URL shows it; undefined if the caller may not see it. */
    const find = async (path: string, caller: Caller): Promise<Row | undefined> => {
      const response = await request(path, caller)
      assert.ok([200, 404].includes(response.status), response.text)
      return response.status === 200 ? response.json() : undefined
    }
    const findAll = async (resource: string, keys: readonly unknown[], caller: Caller) => {
      const found = await Promise.all(keys.map(key => find(`/${resource}/${key}/`, caller)))
      return found.filter(object => object !== undefined)
    }

    suite('an expanded relation', () => {
      for (const caller of ['nobody', 'ann', 'bob', 'sue'] as const) {
        test(`shows the object of the related URL: ${caller}`, async () => {
          const plain: readonly Row[] = await get('/orders/', caller)
          const expanded: readonly Row[] = await get('/orders/?expand=customer', caller)
          assert.ok(plain.some(({ customer }) => customer === null) && plain.some(({ customer }) => customer !== null))
          for (const [index, { customer, ...order }] of plain.entries()) {
            const object = customer === null ? null : await find(`/customers/${customer}/`, caller)
            assert.deepEqual(expanded[index], { ...order, customer: object })
            assert.deepEqual(Object.keys(expanded[index]!), Object.keys(plain[index]!))
          }
        })

        test(`shows those of a reverse relation, and inside of nested objects: ${caller}`, async () => {
          for (const order of (await get('/orders/?expand=lines,lines_in_full.order', caller)) as readonly Row[]) {
            const { lines, lines_in_full } = await get(`/orders/${order.id}/`, caller)
            assert.deepEqual(order.lines, await findAll('lines', lines, caller))
            const inner = await Promise.all(
              lines_in_full.map(async (line: Row) => ({
                ...line,
                order: (await find(`/orders/${line.order}/`, caller)) ?? null,
              })),
            )
            assert.deepEqual(order.lines_in_full, inner)
          }
        })

        test(`expands inside of expanded objects, also in a circle: ${caller}`, async () => {
          const orders: readonly Row[] = await get('/orders/?expand=lines.order.customer,customer.country', caller)
          const plain: readonly Row[] = await get('/orders/', caller)
          const customers = new Map<unknown, Row | null>([[null, null]])
          for (const { customer } of plain)
            if (customer !== null) customers.set(customer, (await find(`/customers/${customer}/`, caller))!)
          for (const [index, { customer, lines }] of orders.entries()) {
            const key = plain[index]!.customer
            const object = customers.get(key)!
            const country = object?.country ? await find(`/countries/${object.country}/`, caller) : null
            assert.deepEqual(customer, object && { ...object, country })
            for (const line of lines as readonly Row[]) {
              const { order } = (await find(`/lines/${line.id}/`, caller))!
              assert.equal(order, plain[index]!.id)
              assert.deepEqual(line.order, { ...plain[index], customer: object })
            }
          }
        })
      }

      test('shows those of a join table, by their key, also if its plain form is another field', async () => {
        for (const order of (await get('/orders/?expand=tags', 'sue')) as readonly Row[]) {
          const { tags } = await get(`/orders/${order.id}/`, 'sue')
          assert.deepEqual(
            (order.tags as readonly Row[]).map(({ slug }) => slug),
            tags,
          )
          assert.deepEqual(
            order.tags,
            await findAll(
              'tags',
              (order.tags as readonly Row[]).map(({ id }) => id),
              'sue',
            ),
          )
        }
      })

      test('is not shown if a row filter hides it, although the plain form shows it', async () => {
        const plain: readonly Row[] = await get('/orders/', 'bob')
        const expanded: readonly Row[] = await get('/orders/?expand=buyer', 'bob')
        const hidden = plain.filter(({ customer, buyer }) => customer === null && buyer !== null)
        assert.ok(hidden.length > 0)
        for (const { id } of hidden) assert.equal(expanded.find(order => order.id === id)!.buyer, null)
      })

      test('is shown by objects, and on the pages of every paginator', async () => {
        const all: readonly Row[] = await get('/orders/?expand=customer,lines.order', 'ann')
        for (const order of all.slice(0, 5))
          assert.deepEqual(await get(`/orders/${order.id}/?expand=lines.order,customer`, 'ann'), order)
        for (const resource of ['pages', 'portions']) {
          const found: Row[] = []
          let path: string | undefined = `/${resource}/?expand=customer,lines.order`
          while (path !== undefined) {
            const { results, next }: { results: Row[]; next: string | null } = await get(path, 'ann')
            found.push(...results)
            path = next?.slice(new URL(next).origin.length)
          }
          assert.deepEqual(found, all)
        }
      })

      test('can be searched, filtered and ordered by', async () => {
        const found = await get(
          '/orders/?expand=customer&ordering=-customer&search=em&customer__name__icontains=e',
          'ann',
        )
        const plain = await get('/orders/?ordering=-customer&search=em&customer__name__icontains=e', 'ann')
        assert.ok(found.length > 1)
        assert.deepEqual(
          found.map(({ customer, ...order }: { customer: Row }) => ({ ...order, customer: customer.id })),
          plain,
        )
      })

      test('needs the view permissions of its resource', async () => {
        for (const path of ['/orders/?expand=tags', '/orders/2/?expand=tags', '/pages/?expand=lines,tags&fields=id']) {
          assert.equal((await request(path, 'nobody')).status, 401)
          const refused = await request(path, 'bob')
          assert.deepEqual(
            [refused.status, refused.json()],
            [403, { detail: 'You do not have permission to perform this action.' }],
          )
          assert.equal((await request(path, 'sue')).status, 200)
        }
      })
    })

    suite('fields and omit', () => {
      test('choose the fields, in the order of the resource', async () => {
        const plain: readonly Row[] = await get('/orders/', 'ann')
        const chosen = await get('/orders/?fields=number,id', 'ann')
        assert.deepEqual(
          chosen.map((order: Row) => Object.entries(order)),
          plain.map(({ id, number }) => Object.entries({ id, number })),
        )
        const { lines, lines_in_full, ...others } = await get('/orders/2/', 'ann')
        assert.deepEqual(await get('/orders/2/?omit=lines,lines_in_full', 'ann'), others)
        assert.deepEqual(await get('/orders/2/?fields=id,number,lines&omit=number', 'ann'), { id: 2, lines })
        assert.deepEqual(await get('/orders/2/?fields=lines_in_full.id,lines_in_full', 'ann'), { lines_in_full })
        assert.deepEqual(await get('/orders/2/?fields=id&omit=id', 'ann'), {})
      })

      test('choose inside of nested and expanded objects', async () => {
        const { lines } = await get('/orders/2/?expand=lines.order', 'ann')
        assert.ok(lines.length > 0)
        const query =
          'expand=lines.order&fields=lines.unitPrice,lines.order.id,lines.order.number&omit=lines.order.number'
        assert.deepEqual(await get(`/orders/2/?${query}`, 'ann'), {
          lines: lines.map(({ unitPrice, order: { id } }: { unitPrice: string; order: Row }) => ({
            unitPrice,
            order: { id },
          })),
        })
        const { buyer, lines_in_full } = await get('/orders/2/', 'ann')
        assert.deepEqual(await get('/orders/2/?fields=buyer.name,lines_in_full.id', 'ann'), {
          buyer: { name: buyer.name },
          lines_in_full: lines_in_full.map(({ id }: Row) => ({ id })),
        })
      })

      test('leave a computed field of an expanded object out', async () => {
        const [first] = (await get('/orders/?expand=customer&fields=customer.loud', 'ann')).filter(
          ({ customer }: Row) => customer !== null,
        )
        assert.match(first.customer.loud, / for ann$/)
        const { customer } = await get('/orders/2/?expand=customer&omit=customer.loud,customer.country', 'ann')
        assert.deepEqual(Object.keys(customer), ['id', 'name'])
      })

      test('an empty value chooses nothing', async () => {
        assert.deepEqual(await get('/orders/2/?fields=&omit=,&expand=', 'ann'), await get('/orders/2/', 'ann'))
      })
    })

    test('one statement reads a page, whatever it shows', async () => {
      for (const query of [
        'expand=customer.country,tags,lines.order.customer,lines_in_full.order',
        'fields=id',
        'omit=id',
      ])
        for (const resource of ['orders/2', 'pages', 'portions']) {
          const path = `/${resource}/?${query}`
          await get(path, 'sue')
          statements.length = 0
          await get(`${path}&search=m`, 'sue')
          assert.equal(statements.length, 1, path)
        }
    })

    suite('a name that does not exist is 400', () => {
      const many = (count: number) => Array.from({ length: count }, (_, index) => `x${index}`).join()
      for (const [query, errors] of [
        ['expand=custmer', { expand: ['"custmer" cannot be expanded. Did you mean "customer"?'] }],
        ['expand=number', { expand: ['"number" cannot be expanded.'] }],
        ['expand=lines.order.lines', { expand: ['"lines.order.lines" cannot be expanded.'] }],
        [
          `expand=${Array.from({ length: 9 }, () => 'lines.order').join('.')}`,
          { expand: [`"${'lines.order.'.repeat(9).slice(0, 100)}…" cannot be expanded.`] },
        ],
        [`expand=${many(11)}`, { expand: ['Too many names: at most 10.'] }],
        [
          `fields=${many(10_000)}&omit=${many(101)}`,
          Object.fromEntries(['fields', 'omit'].map(name => [name, ['Too many names: at most 100.']])),
        ],
        ['fields=nmber,id', { fields: ['There is no field "nmber". Did you mean "number"?'] }],
        ['fields=customer.name', { fields: ['There is no field "customer.name".'] }],
        ['omit=lines.id', { omit: ['There is no field "lines.id".'] }],
        [
          'expand=lines&omit=lines.unit_price',
          { omit: ['There is no field "lines.unit_price". Did you mean "lines.unitPrice"?'] },
        ],
        [
          'expand=customer&fields=customer.hidden_from_objects',
          { fields: ['There is no field "customer.hidden_from_objects".'] },
        ],
        ['fields=.&omit=..', { fields: ['There is no field ".".'], omit: ['There is no field "..".'] }],
        [
          'fields=id.&omit=.id',
          {
            fields: ['There is no field "id.".'],
            omit: ['There is no field ".id".'],
          },
        ],
        ['fields=%00', { fields: ['There is no field "\0".'] }],
        ['fields=constructor', { fields: ['There is no field "constructor".'] }],
        ['expand=__proto__', { expand: ['"__proto__" cannot be expanded.'] }],
        ['expand=customer.__proto__', { expand: ['"customer.__proto__" cannot be expanded.'] }],
        [
          'fields=%F0%9F&omit=x%ED%A0%80',
          { fields: ['There is no field "\ufffd".'], omit: ['There is no field "x\ufffd\ufffd\ufffd".'] },
        ],
      ] as readonly (readonly [string, object])[])
        test(query.slice(0, 60), async () => {
          for (const path of ['/orders/', '/orders/2/', '/pages/']) {
            const response = await request(`${path}?${query}`, 'ann')
            assert.deepEqual([response.status, response.json()], [400, errors])
          }
        })

      test('also the name of a field that the caller does not see', async () => {
        for (const [query, errors] of [
          ['fields=owner', { fields: ['There is no field "owner".'] }],
          ['omit=ownr', { omit: ['There is no field "ownr".'] }],
          ['expand=staff_customer', { expand: ['"staff_customer" cannot be expanded.'] }],
          ['expand=staff_customer.country', { expand: ['"staff_customer.country" cannot be expanded.'] }],
          ['expand=customer&fields=customer.owner', { fields: ['There is no field "customer.owner".'] }],
        ] as const) {
          const response = await request(`/orders/?${query}`, 'bob')
          assert.deepEqual([response.status, response.json()], [400, errors])
          if (query !== 'omit=ownr') assert.equal((await request(`/orders/?${query}`, 'sue')).status, 200)
        }
      })
    })

    test('pages show what the query chooses', async () => {
      const getPage = async (path: string) => {
        const { status, text } = await api().client.get(path, {
          headers: { ...asUser('ann').headers, accept: 'text/html' },
        })
        assert.equal(status, 200)
        return toReadableText(text)
      }
      const list = await getPage('/orders/?fields=number,customer&expand=customer')
      const headings = [...list.matchAll(/<th scope="col"[^>]*>(?:<a[^>]*>)?([^<]*)/g)].map(([, label]) => label)
      assert.deepEqual(headings, ['Number', 'Customer'])
      assert.match(list, /<td><a href="\/customers\/[^"]*">Emma</)
      assert.match(await getPage('/orders/?omit=id,number'), /<th scope="row">/)
      assert.match(await getPage('/orders/2/?expand=customer&omit=id'), /Emma for ann/)
    })

    test('no value is a fault of the service', async () => {
      const names = fc.constantFrom('customer', 'lines', 'order', 'id', '', '__proto__', 'owner', 'tags', '\0', 'x')
      const paths = fc.array(names, { minLength: 1, maxLength: 5 }).map(parts => parts.join('.'))
      const values = fc.oneof(fc.array(paths, { maxLength: 12 }).map(String), fc.string({ unit: anyCharacter }))
      const pairs = fc.array(fc.tuple(fc.constantFrom('fields', 'omit', 'expand'), values), { maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(pairs, fc.constantFrom('orders/', 'orders/2/', 'pages/'), async (query, path) => {
          const search = new URLSearchParams(
            query.map(([name, value]): [string, string] => [name, value.toWellFormed()]),
          )
          const { status, text } = await request(`/${path}?${search}`, 'bob')
          assert.ok([200, 400, 403].includes(status), text)
        }),
        { numRuns: randomCases(300) },
      )
    })

    test('a filter by a field that the caller does not see remains unknown', async () => {
      for (const query of ['fields=id', 'omit=lines', 'expand=lines']) {
        const filtered = `${query}&customer__owner=1`
        assert.deepEqual(await get(`/orders/?${filtered}`, 'bob'), await get(`/orders/?${query}`, 'bob'))
        const refused = await request(`/pages/?${filtered}`, 'bob')
        assert.deepEqual([refused.status, refused.json()], [400, { customer__owner: ['There is no such parameter.'] }])
        assert.equal((await get(`/pages/?${filtered}`, 'sue')).count, 0)
      }
    })

    test('a strict list refuses a parameter that its resource does not declare', async () => {
      assert.equal((await request('/slips/?expand=lines', 'ann')).status, 200)
      const refused = await request('/slips/?expand=lines&fields=id', 'ann')
      assert.deepEqual([refused.status, refused.json()], [400, { fields: ['There is no such parameter.'] }])
      assert.deepEqual(await get('/lines/?fields=id&expand=order', 'ann'), await get('/lines/', 'ann'))
    })

    test('OPTIONS names what the caller can choose', async () => {
      const describe = async (path: string, caller: 'bob' | 'sue') => {
        const response = await api().client.request('OPTIONS', path, asUser(caller))
        const { fields, expand } = response.json()
        return { fields, expand }
      }
      const expand = [
        'customer',
        'customer.country',
        'buyer',
        'tags',
        'lines',
        'lines.order',
        'lines.order.customer',
        'lines_in_full.order',
        'lines_in_full.order.customer',
      ]
      const fields = [
        'id',
        'number',
        'status',
        'total',
        'customer',
        'buyer',
        'buyer.id',
        'buyer.name',
        'tags',
        'lines',
        'lines_in_full',
        'lines_in_full.id',
        'lines_in_full.product',
        'lines_in_full.order',
      ]
      assert.deepEqual(await describe('/orders/', 'bob'), { fields, expand })
      const seen = await describe('/orders/', 'sue')
      assert.deepEqual(
        seen.fields.filter((name: string) => !fields.includes(name)),
        ['owner', 'staff_customer'],
      )
      assert.deepEqual(
        seen.expand.filter((name: string) => !expand.includes(name)),
        ['staff_customer', 'staff_customer.country'],
      )
      assert.deepEqual(await describe('/lines/', 'bob'), { fields: undefined, expand: undefined })
    })
  },
  { migrations: shopMigrations, observe: statement => void statements.push(statement) },
)
