// The filters of lists: declarations that are wrong, values that are refused, and parameters that do not exist.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import {
  boolean,
  browsable,
  choice,
  computed,
  dateTime,
  filter,
  integer,
  json,
  jsonRenderer,
  key,
  nested,
  openDatabase,
  pageNumber,
  related,
  resource,
  text,
  writeOnly,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import type { ResourceOptions } from '#core'
import { anyCharacter } from '../support/any-text.ts'
import { insertShop, shopMigrations, shopResources, shopRows, shopTime } from '../support/filtered-shop.ts'
import { authors, tags } from '../support/library.ts'
import { type LibraryApi, onEachDatabase, startApi, userScheme } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const fields = {
  id: key(),
  title: text(),
  pages: integer(),
  in_print: boolean(),
  genre: choice(['novel', 'poetry']),
  secret: writeOnly(text()),
  published: dateTime(),
  summary: json(),
  loud: computed({ columns: ['title'], value: ({ title }) => title }),
  author: related(authors),
  author_in_full: nested({ of: authors, column: 'author_id' }),
  tags: related(tags, { many: { table: 'book_tags', own: 'book_id', other: 'tag_id' } }),
}

type Options = ResourceOptions<Record<string, Field>, string>

async function start(filters: object, options: Partial<Options>): Promise<void> {
  const { app, stop } = await startApi({
    database: openDatabase('sqlite::memory:'),
    resources: [authors, tags, resource('books', { table: 'books', fields, ...options, filters } as Options)],
  })
  try {
    await app.ready()
  } finally {
    await stop()
  }
}

suite('a wrong filter is an error at start that names the fix', () => {
  const texts =
    'exact, in, isnull, iexact, contains, icontains, startswith, istartswith, endswith, iendswith, regex, iregex, not, not__in, not__iexact, not__contains, not__icontains, not__startswith, not__istartswith, not__endswith, not__iendswith, not__regex, not__iregex'
  for (const [filters, message, options = {}] of [
    [['title'], 'filters: write an object, such as { title: true }'],
    [{ titel: true }, 'filters: "titel": there is no field "titel": write "title"'],
    [
      { title: 'exact' },
      `filters: "title": write true, a list of lookups such as ["exact"], or filter(…), not "exact"`,
    ],
    [{ title: null }, 'filters: "title": write true, a list of lookups such as ["exact"], or filter(…), not null'],
    [{ title: ['gte'] }, `filters: "title": the lookup "gte" does not fit a value of the type string: use ${texts}`],
    [{ title: ['week'] }, `filters: "title": there is no lookup "week": use ${texts}`],
    [{ title: ['not__exact'] }, `filters: "title": there is no lookup "not__exact": use ${texts}`],
    [
      { title: ['not__gte'] },
      `filters: "title": the lookup "not__gte" does not fit a value of the type string: use ${texts}`,
    ],
    [{ title: ['constructor'] }, `filters: "title": there is no lookup "constructor": use ${texts}`],
    [
      { in_print: ['in'] },
      'filters: "in_print": the lookup "in" does not fit a value of the type boolean: use exact, isnull, not',
    ],
    [
      { genre: ['icontains'] },
      'filters: "genre": the lookup "icontains" does not fit a value of the type choice: use exact, in, isnull, not, not__in',
    ],
    [{ summary: true }, 'filters: "summary": the lookup "exact" does not fit a value of the type json: use isnull'],
    [
      { author: ['gt'] },
      'filters: "author": the lookup "gt" does not fit a relation: use exact, in, isnull, not, not__in',
    ],
    [{ secret: true }, 'filters: "secret": field "secret" is write-only, and this would reveal it'],
    [
      { loud: true },
      'filters: "loud": field "loud" has no column of its own: only a value of a column or of SQL can be compared',
    ],
    [{ 'title.x': true }, 'filters: "title.x": field "title" is not a relation, so nothing can follow it'],
    [{ 'author.nam': true }, 'filters: "author.nam": there is no field "nam": write "name"'],
    [
      { 'author.nam': true },
      'filters: "author.nam": there is no field "nam": write "name"',
      { fields: { ...fields, author: related('authors') } },
    ],
    [
      { author_in_full: true },
      'filters: "author_in_full": field "author_in_full" contains objects: follow it with one of their fields, such as "author_in_full.id"',
    ],
    [{ __proto__x: true }, 'filters: "__proto__x": there is no field "__proto__x"'],
    [
      { 'author.name': true, author__name: filter(integer(), () => sql`1 = 1`) },
      'filters: two filters have the parameter "author__name": remove one',
    ],
    [
      { 'a b': filter(integer(), () => sql`1 = 1`) },
      'filters: "a b": the name must be that of a parameter: letters, digits, _ and -',
    ],
    ...['search', 'ordering', 'new', 'delete', '_search', '_text', 'format'].map(
      name =>
        [
          { [name]: filter(integer(), () => sql`1 = 1`) },
          `filters: lists use the parameter "${name}" themselves: filter by another name, such as filter(…) under "${name}_is"`,
          { searchFields: ['title'], orderingFields: ['title'], renderers: [jsonRenderer, browsable()] },
        ] as const,
    ),
    [
      { p: filter(integer(), () => sql`1 = 1`) },
      'filters: lists use the parameter "p" themselves: filter by another name, such as filter(…) under "p_is"',
      { pagination: pageNumber({ pageSize: 2, pageQueryParam: 'p' }) },
    ],
    [
      { recent: filter(boolean(), ({ row }) => sql`${row.published} > datetime('now')`) },
      `filters: "recent" depends on more than data ('now'): declare it as filter(…, { volatile: true }), so that no list that it filters is cached`,
    ],
  ] as readonly (readonly [object, string, Partial<Options>?])[])
    test(JSON.stringify(filters), async () => {
      await assert.rejects(start(filters, options), { message: `resource "books": ${message}` })
    })

  test('a filter whose value is a list or a relation', () => {
    for (const field of [json(), fields.tags, fields.id])
      assert.throws(() => filter(field, ({ value }) => sql`${value}`), /give a field that only has a type/)
  })
})

const manyValues = (count: number) => Array.from({ length: count }, (_, index) => index + 1).join()

const textLookups = 'exact iexact contains icontains startswith istartswith endswith iendswith isnull in'.split(' ')
const filterNames = ['number', 'customer__name', 'lines__product'].flatMap(field =>
  textLookups.map(lookup => (lookup === 'exact' ? field : `${field}__${lookup}`)),
)

// The pages are strict, and take fewer values.
const [pages, ...others] = shopResources.toReversed()
const strictResources = [
  ...others,
  { ...pages!, name: 'grouped', strict: true },
  { ...pages!, strict: true, filterLimits: { values: 2, filters: 1 } },
]

onEachDatabase(
  () => ({ resources: strictResources, authentication: [userScheme], clock: () => shopTime }),
  api => {
    let shop: LibraryApi
    before(async () => {
      shop = api()
      await insertShop(shop.database)
    })

    const get = (query: string, name = 'orders') => shop.client.get(`/${name}/?${query}`)

    for (const [query, errors] of [
      ['pieces__gte=many', { pieces__gte: ['A valid integer is required.'] }],
      ['pieces__in=1,x', { pieces__in: ['A valid integer is required.'] }],
      ['pieces__lt=9223372036854775808', { pieces__lt: ['Ensure this value is less than or equal to 2147483647.'] }],
      ['total__gte=1.234', { total__gte: ['Ensure that there are no more than 2 decimal places.'] }],
      ['due__range=2026-01-01', { due__range: ['Give two values, separated by a comma.'] }],
      ['due__range=2026-01-01,2026-01-02,2026-01-03', { due__range: ['Give two values, separated by a comma.'] }],
      ['due__year=0', { due__year: ['Ensure this value is greater than or equal to 1.'] }],
      ['number__contains=a%00', { number__contains: ['Null characters are not allowed.'] }],
      ['number__regex=(a', { number__regex: ['The regular expression has a mistake at character 1: "(".'] }],
      [
        'number__not__regex=(%3F!a)',
        { number__not__regex: ['The regular expression has "(?!" at character 1, which is not supported.'] },
      ],
      [`number__iregex=${'a'.repeat(201)}`, { number__iregex: ['Ensure this field has no more than 200 characters.'] }],
      ['number__regex=a%00', { number__regex: ['Null characters are not allowed.'] }],
      ['paid__isnull=maybe', { paid__isnull: ['Must be a valid boolean.'] }],
      ['status__in=open,closed', { status__in: ['"closed" is not a valid choice.'] }],
      ['customer=1', { customer: ['Must be a valid UUID.'] }],
      ['pieces__gt=1&pieces__gt=2', { pieces__gt: ['Give this parameter once: the filter takes one value.'] }],
      [`id__in=${manyValues(101)}`, { id__in: ['Ensure this field has no more than 100 elements.'] }],
      [`id__in=${manyValues(10_000)}`, { id__in: ['Ensure this field has no more than 100 elements.'] }],
      ['late=x&owned=z', { late: ['Must be a valid boolean.'], owned: ['Must be a valid boolean.'] }],
    ] as const)
      test(`ERR-BODY-2: a wrong value is 400, by parameter: ${query.slice(0, 50)}`, async () => {
        const response = await get(query)
        assert.deepEqual([response.status, response.json()], [400, errors])
      })

    test('the number of filters in one query is bounded', async () => {
      const query = filterNames.map(name => `${name}=true`)
      const ordinary = await get(query.slice(0, 20).join('&'))
      assert.deepEqual([ordinary.status, ordinary.json()], [200, []])
      const refused = await get(query.join('&'))
      assert.deepEqual([refused.status, refused.json()], [400, { non_field_errors: ['Too many filters: at most 20.'] }])
    })

    test('filters of a group are joined with or, and there is a bound on groups', async () => {
      const keys = async (query: string) => (await get(query)).json().map(({ id }: { id: number }) => id)
      assert.deepEqual(await keys('or.id=1&or.id__in=2,5'), [1, 2, 5])
      assert.deepEqual(await keys('or.id=1&or.a.id__in=1,5'), [1])
      assert.deepEqual(await keys('id__gte=4&or.a.id=1&or.a.id__in=2,5'), [5])
      assert.deepEqual(await keys('or.id=1&or.x.id=&or.y.id=&or.z.id='), [1])
      const all = await keys('')
      for (const query of ['or.=1', 'or.x=1', 'or..id=1', 'or.a.b.id=1', 'or=1', 'or.__proto__=1', 'or.or.x=1'])
        assert.deepEqual(await keys(query), all, query)
      for (const [query, errors] of [
        ['or.a.id=1&or.b.id=1&or.id=1', { non_field_errors: ['Too many groups of filters: at most 2.'] }],
        [
          'or.a.owned=1&or.b.customer__isnull=1&or.owned=1',
          { non_field_errors: ['Too many groups of filters: at most 2.'] },
        ],
        ['or.a.id=x&or.pieces=1', { 'or.a.id': ['A valid integer is required.'] }],
        ['or.id=1&or.id=2', { 'or.id': ['Give this parameter once: the filter takes one value.'] }],
        [
          Array.from({ length: 21 }, (_, index) => `or.${filterNames[index]}=true`).join('&'),
          { non_field_errors: ['Too many filters: at most 20.'] },
        ],
      ] as const) {
        const response = await get(query)
        assert.deepEqual([response.status, response.json()], [400, errors], query)
      }
      const notDeclared = await get('or.id=1', 'pages')
      assert.deepEqual([notDeclared.status, notDeclared.json()], [400, { 'or.id': ['There is no such parameter.'] }])
      const response = await get('or.id=1&or.b.id__in=1&or.idd=1', 'grouped')
      assert.deepEqual([response.status, response.json()], [400, { 'or.idd': ['There is no such parameter.'] }])
      assert.equal((await get('or.id=1&or.b.id__in=1', 'grouped')).status, 200)
    })

    test('a resource has limits of its own', async () => {
      for (const [query, errors] of [
        ['id__in=1,2,3', { id__in: ['Ensure this field has no more than 2 elements.'] }],
        ['id=1&pieces=1', { non_field_errors: ['Too many filters: at most 1.'] }],
      ] as const) {
        const response = await get(query, 'pages')
        assert.deepEqual([response.status, response.json()], [400, errors])
      }
    })

    test('several values are separated by commas, or repeated, or both', async () => {
      const expected = (await get('id__in=1,5,9')).json()
      for (const query of ['id__in=1&id__in=5&id__in=9', 'id__in=1,5&id__in=9', 'id__in=,9,1,,5,&id__in='])
        assert.deepEqual((await get(query)).json(), expected, query)
    })

    test('a date-time may have an offset, whose plus sign may be unencoded', async () => {
      const expected = (await get('placed__gte=2026-01-31T12:00:00Z')).text
      for (const moment of [
        '2026-01-31T13:00:00%2B01:00',
        '2026-01-31T13:00:00+01:00',
        '2026-01-31+13:00+0100',
        '2026-01-31T11:00-01:00',
      ])
        assert.equal((await get(`placed__gte=${moment}`)).text, expected, moment)
    })

    test('regular expressions are searched in texts, through relations too', async () => {
      const customers = new Map(shopRows.customers.map(each => [each.id, each]))
      const visible = shopRows.orders.filter(({ owner_id }) => owner_id === null)
      const isVisible = (id: string | null) => id !== null && customers.get(id)!.owner_id === null
      const name = (id: string | null) => (isVisible(id) ? customers.get(id!)!.name : null)
      for (const [query, isFound] of [
        ['number__regex=^[Ee]m{2}a$', ({ number }) => number === 'Emma' || number === 'emma'],
        ['number__iregex=MM', ({ number }) => /mm/i.test(number ?? '')],
        ['number__not__regex=.', ({ number }) => number === null || number === ''],
        ['number__regex=^[^[:print:]]', ({ number }) => /^[^ -~]/.test(number ?? '')],
        ['customer__name__regex=A .', ({ customer_id }) => /A ./.test(name(customer_id) ?? '')],
        ['customer__name__not__regex=A .', ({ customer_id }) => !/A ./.test(name(customer_id) ?? '')],
      ] as readonly (readonly [string, (order: (typeof visible)[number]) => boolean])[]) {
        const expected = visible.filter(isFound).map(({ id }) => id)
        assert.ok(expected.length > 0 && expected.length < visible.length, query)
        const found = (await get(query.replaceAll('+', '%2B'))).json().map(({ id }: { id: number }) => id)
        assert.deepEqual(found, expected, query)
      }
    })

    test('an unknown parameter is ignored, or 400 with the nearest name in a strict list', async () => {
      assert.equal((await get('totl__gte=1&constructor=1&__proto__=2')).status, 200)
      for (const [query, errors] of [
        ['totl__gte=1', { totl__gte: ['There is no such parameter. Did you mean "total__gte"?'] }],
        ['total__regex=a', { total__regex: ['There is no such parameter. Did you mean "total__range"?'] }],
        ['constructor=1', Object.fromEntries([['constructor', ['There is no such parameter.']]])],
        [`${'x'.repeat(5000)}=1`, { ['x'.repeat(5000)]: ['There is no such parameter.'] }],
      ] as readonly (readonly [string, object])[]) {
        const response = await get(query, 'pages')
        assert.deepEqual([response.status, response.json()], [400, errors])
      }
      const proto = await get('__proto__=1', 'pages')
      assert.deepEqual([proto.status, proto.text], [400, '{"__proto__":["There is no such parameter."]}'])
      const known = await get('limit=1&offset=1&search=a&ordering=id&format=json&total__gte=1', 'pages')
      assert.equal(known.status, 200)
    })

    test('no value of a filter is a fault of the service', async () => {
      const names = Object.keys(
        Object.fromEntries(
          'id number__in number__icontains total__gte total__in weight__range pieces__lte paid status__in due due__year at__lt placed placed__date placed__range took__in ref__in labels__contains customer customer__in customer__country tags tags__in lines lines__price__gt lines_total__range late owned number__isnull'
            .split(' ')
            .map(name => [name, 1]),
        ),
      )
      const values = fc.oneof(
        fc.string({ unit: anyCharacter }),
        fc.constantFrom(
          '9223372036854775808',
          '-9223372036854775809',
          '1e400',
          'NaN',
          'Infinity',
          '\0',
          '\ud800',
          '{"a":1}',
          "'; drop table orders; --",
          '.*',
          '2026-02-30',
          '31.01.2026',
          '2026-W05',
          '10000-01-01',
          '9999-12-31T23:59:59-14:00',
          '0001-01-01T00:00:00+14:00',
          '24:00',
          'P1Y',
          '%',
          ',',
          '"',
          '[',
        ),
      )
      const pairs = fc.array(fc.tuple(fc.constantFrom(...names), values), { maxLength: 4 })
      await fc.assert(
        fc.asyncProperty(pairs, async query => {
          const response = await get(
            new URLSearchParams(
              query.map(([name, value]): [string, string] => [name, value.toWellFormed()]),
            ).toString(),
          )
          assert.ok(response.status === 200 || response.status === 400, response.text)
        }),
        { numRuns: randomCases(400) },
      )
    })
  },
  { migrations: shopMigrations },
)
