// Values of filters from callers who mean harm: each gets its documented status, the same on both databases.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { insertShop, shopMigrations, shopResources, shopTime } from '../support/filtered-shop.ts'
import { type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const dates = {
  200: ['2026-02-28', '2024-02-29', '0001-01-01', '9999-12-31', ' 2026-02-28', '2026-02-28 '],
  400: [
    '2026-02-29',
    '2026-2-28',
    '26-02-28',
    '20260228',
    '2026-059',
    '2026-W09-6',
    '2026/02/28',
    '2026.02.28',
    '28.02.2026',
    '28/02/2026',
    '02/28/2026',
    '28-02-2026',
    '28 Feb 2026',
    'Feb 28, 2026',
    'Saturday, 28 February 2026',
    '2026-02-28T00:00:00Z',
    '2026-02-28 00:00',
    '1772236800',
    '-2026-02-28',
    '+002026-02-28',
    '10000-01-01',
    '0000-01-01',
    '2026-00-10',
    '2026-13-01',
    '2026-01-32',
    '２０２６-02-28',
    '٢٠٢٦-٠٢-٢٨',
    'today',
    'now',
    'infinity',
    'epoch',
    "2026-02-28'--",
  ],
} as const

const moments = {
  200: [
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00z',
    '2026-01-31 12:00:00',
    '2026-01-31T12:00',
    '2026-01-31T12:00:00.5Z',
    '2026-01-31T12:00:00.123456Z',
    '2026-01-31T12:00:00+01:00',
    '2026-01-31T12:00:00-0930',
    '2024-02-29T23:59:59Z',
  ],
  400: [
    '2026-01-31',
    '2026-01-31T12',
    '2026-01-31T24:00:01Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:61Z',
    '2026-02-29T00:00:00Z',
    '2026-01-31T12:00:00+25:00',
    '2026-01-31T12:00:00 Europe/Berlin',
    '2026-01-31T12:00:00 CET',
    '2026-01-31T12:00:00 PM',
    '20260131T120000Z',
    '2026-W05-6T12:00:00Z',
    'Sat, 31 Jan 2026 12:00:00 GMT',
    'Sat Jan 31 12:00:00 2026',
    '1769860800',
    '1769860800000',
    '0001-01-01T00:00:00+14:00',
    '9999-12-31T23:59:59-14:00',
    '+010000-01-01T00:00:00Z',
    'infinity',
    'now()',
    'current_timestamp',
    'yesterday',
  ],
} as const

const tooLarge = {
  200: ['id=9007199254740991', 'id__gte=9007199254740991', 'weight=9223372036854775808', 'weight__lt=1e308'],
  400: [
    'id=9223372036854775808',
    'id__in=1,9223372036854775808',
    'pieces=9223372036854775807',
    'pieces__range=-9223372036854775809,9223372036854775808',
    'total__gte=9223372036854775808',
    'weight__lt=1e309',
    'lines=9223372036854775808',
    'lines_total__lte=1e400',
    'took__gte=9223372036854775808',
    'due__year=9223372036854775808',
    `pieces=${'9'.repeat(5000)}`,
    `total=0.${'1'.repeat(5000)}`,
  ],
} as const

const texts = {
  200: [
    'number__contains=(a%2B)%2B%24',
    'number__icontains=%25%25%25_%5C',
    'number__startswith=.*',
    'number=%5B',
    'number__in=%22a,b%22,%7B%7D,%5C',
    'number=%ED%A0%80',
    'number__in=%ED%B0%80,%FF',
    'number__icontains=%EF%BF%BF',
    'tags=%ED%A0%80',
    'lines__product__not__in=%27%3B+drop+table+orders%3B+--',
    `number__contains=${'x'.repeat(1000)}`,
  ],
  400: [
    'number=%00',
    'number__in=a,%00',
    'number__not__icontains=%00',
    'customer__country__name__endswith=a%00b',
    'tags=%00',
    'id=%00',
    'pieces__in=%00',
    'total=%00',
    'due=%00',
    'placed__date=%00',
    'ref=%00',
    'late=%00',
    'status=%00',
    'number__in=%22a',
    `number__contains=${'x'.repeat(1001)}`,
  ],
} as const

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__proto____in',
  'constructor__name',
  'customer____proto__',
  'customer__constructor',
  'total__constructor',
  'total__',
  '__total',
  'total__gte__gte',
  'not__total',
  'total__not__not',
  'customer__country__customer__country__name',
  `customer${'__customer'.repeat(500)}`,
  'lines__order__lines__order__total__gte',
  'total[gte]',
  'total.gte',
  '',
  '\ud800',
  'a\0b',
]

onEachDatabase(
  () => ({
    resources: shopResources.map(declared => (declared.name === 'pages' ? { ...declared, strict: true } : declared)),
    authentication: [userScheme],
    clock: () => shopTime,
  }),
  api => {
    let shop: LibraryApi
    before(async () => {
      shop = api()
      await insertShop(shop.database)
    })

    const get = (query: string, name = 'orders') => shop.client.get(`/${name}/?${query}`)

    /** Sends queries, each of which must get this status, with an error that is keyed by the parameter. */
    async function expect(status: number, queries: readonly string[]): Promise<void> {
      for (const query of queries) {
        const response = await get(query)
        assert.equal(response.status, status, `${query.slice(0, 100)}: ${response.text}`)
        if (status === 400) assert.deepEqual(Object.keys(response.json()), [query.slice(0, query.indexOf('='))])
      }
    }

    const withName = (name: string, values: readonly string[]) =>
      values.map(value => `${name}=${encodeURIComponent(value)}`)

    test('dates have one format, and no other is read as another day', async () => {
      for (const name of ['due', 'due__gte', 'placed__date']) {
        await expect(200, withName(name, dates[200]))
        await expect(400, withName(name, dates[400]))
      }
    })

    test('date-times have the format of their field', async () => {
      for (const name of ['placed', 'placed__lt', 'placed__not']) {
        await expect(200, withName(name, moments[200]))
        await expect(400, withName(name, moments[400]))
      }
    })

    test('numbers beyond their types are refused', async () => {
      await expect(200, tooLarge[200])
      await expect(400, tooLarge[400])
    })

    test('no text is more than a text', async () => {
      await expect(200, texts[200])
      await expect(400, texts[400])
      assert.ok((await get('')).json().length > 0)
    })

    test('two lookups on one field apply together', async () => {
      const keys = async (query: string) => (await get(query)).json().map(({ id }: { id: number }) => id)
      const [from, to] = [await keys('id__gte=5'), await keys('id__in=1,5,8')]
      assert.deepEqual(
        await keys('id__gte=5&id__in=1,5,8'),
        from.filter((id: number) => to.includes(id)),
      )
    })

    test('names that no filter has are ignored, or 400 in a strict list', async () => {
      const all = (await get('')).text
      for (const name of names) {
        const query = `${encodeURIComponent(name.toWellFormed())}=1`
        assert.deepEqual([(await get(query)).status, (await get(query)).text], [200, all], name)
        const refused = await get(query, 'pages')
        assert.equal(refused.status, 400, name)
        assert.deepEqual(Object.keys(refused.json()), [name.toWellFormed()])
      }
    })
  },
  { migrations: shopMigrations },
)
