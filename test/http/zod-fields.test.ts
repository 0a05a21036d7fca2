// Zod schemas as fields: input and output values, messages and codes, and unsupported schemas.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { key, type Migrations, resource, zodField } from 'resource-api'
import { z } from 'zod'
import type { RequestOptions } from '../support/client.ts'
import { fieldPart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { fullDetailsHandler, type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_reviews'(kysely, { key, text, number, boolean, json }) {
    await kysely.schema
      .createTable('reviews')
      .addColumn('id', key)
      .addColumn('title', text)
      .addColumn('stars', sql`bigint`)
      .addColumn('weight', number)
      .addColumn('is_public', boolean)
      .addColumn('kind', text)
      .addColumn('level', sql`integer`)
      .addColumn('tags', json)
      .addColumn('place', json)
      .addColumn('extra', json)
      .addColumn('slug_text', text)
      .addColumn('nickname', text)
      .addColumn('day', text)
      .execute()
  },
}

let defaultsCreated = 0

const place = z.object({
  city: z.string().min(1, 'Which city?'),
  at: z.object({ lat: z.number(), exact: z.boolean().default(false) }).optional(),
  rooms: z.array(z.int().positive()).default([]),
})

const fields = {
  id: key(),
  title: z
    .string()
    .max(10)
    .refine(value => value !== 'bad', 'No bad titles.'),
  stars: z.int().min(1).max(Number.MAX_SAFE_INTEGER).default(3),
  weight: z.coerce.number().nullable().default(null),
  is_public: z.boolean().default(true),
  kind: z.enum(['novel', '__proto__']).nullable().default('novel'),
  level: z.literal([1, 2]).nullish(),
  tags: z
    .array(z.string().max(5))
    .max(2)
    .default(() => [`t${++defaultsCreated}`]),
  place: place.nullable().default(null),
  extra: z.record(z.string(), z.json()).nullish(),
  slug: zodField(
    z
      .string()
      .transform(value => value.toLowerCase().replaceAll(' ', '-'))
      .pipe(z.string().max(10))
      .default('none'),
    { column: 'slug_text', label: 'Short name', help: 'As in a URL' },
  ),
  nickname: z
    .string()
    .nullable()
    .transform(value => value ?? 'nobody')
    .pipe(z.string())
    .default('somebody'),
  day: z.iso
    .date('No day.')
    .refine(async value => {
      await new Promise(setImmediate)
      return value !== '2024-02-29'
    }, 'Taken.')
    .nullish(),
}

/** The values that `validate` received. */
const validatedValues: object[] = []

const reviews = resource('reviews', {
  table: 'reviews',
  fields,
  validate({ values }) {
    validatedValues.push({ ...values })
    // The types of the values are the output types of the schemas.
    const checked = values satisfies {
      readonly title: string
      readonly stars: number
      readonly weight: number | null
      readonly is_public: boolean
      readonly kind: 'novel' | '__proto__' | null
      readonly tags: readonly string[]
      readonly place: z.output<typeof place> | null
      readonly slug: string
      readonly nickname: string
    }
    const city: string | undefined = values.place?.city
    // @ts-expect-error a number has no length
    assert.deepEqual([checked.stars.length, city], [undefined, values.place?.city])
  },
  beforeSave({ values: { tags } }) {
    const first: string | undefined = tags[0]
    assert.equal(first, tags[0])
  },
})

const required = { message: 'This field is required.', code: 'required' }
const notNull = { message: 'This field may not be null.', code: 'null' }
const nullCharacters = { message: 'Null characters are not allowed.', code: 'null_characters_not_allowed' }
const typeError = (expected: string, received: string) => ({
  message: `Invalid input: expected ${expected}, received ${received}`,
  code: 'invalid_type',
})

type Case = readonly [name: string, input: unknown, errors: object]

const refusedValues: readonly Case[] = [
  ['title', null, [notNull]],
  ['title', 1, [typeError('string', 'number')]],
  ['title', 'x'.repeat(11), [{ message: 'Too big: expected string to have <=10 characters', code: 'too_big' }]],
  ['title', 'bad', [{ message: 'No bad titles.', code: 'custom' }]],
  ['title', 'a\0', [nullCharacters]],
  ['title', '\ud800', [{ message: 'Value must be valid JSON.', code: 'invalid' }]],
  ['stars', 0, [{ message: 'Too small: expected number to be >=1', code: 'too_small' }]],
  ['stars', 1.5, [{ message: 'Invalid input: expected int, received number', code: 'invalid_type' }]],
  ['stars', 'x', [typeError('number', 'string')]],
  ['stars', '1.2.3', [typeError('number', 'string')]],
  ['stars', '', [typeError('number', 'string')]],
  ['stars', null, [notNull]],
  ['stars', [], [typeError('number', 'array')]],
  ['weight', 'x', [typeError('number', 'NaN')]],
  ['weight', '1e400', [typeError('number', 'Infinity')]],
  ['is_public', 'maybe', [typeError('boolean', 'string')]],
  ['is_public', 2, [typeError('boolean', 'number')]],
  ['kind', 'x', [{ message: 'Invalid option: expected one of "novel"|"__proto__"', code: 'invalid_value' }]],
  ['kind', 'constructor', [{ message: 'Invalid option: expected one of "novel"|"__proto__"', code: 'invalid_value' }]],
  ['level', 3, [{ message: 'Invalid option: expected one of 1|2', code: 'invalid_value' }]],
  ['tags', 'a', [typeError('array', 'string')]],
  [
    'tags',
    [1, 'abcdef'],
    {
      0: [typeError('string', 'number')],
      1: [{ message: 'Too big: expected string to have <=5 characters', code: 'too_big' }],
    },
  ],
  ['tags', ['a', 'b', 'c'], [{ message: 'Too big: expected array to have <=2 items', code: 'too_big' }]],
  ['tags', ['a\0'], [nullCharacters]],
  ['place', [], [typeError('object', 'array')]],
  ['place', {}, { city: [typeError('string', 'undefined')] }],
  [
    'place',
    { city: '', at: { lat: 'x', exact: 'x' }, rooms: [1, '0'] },
    {
      city: [{ message: 'Which city?', code: 'too_small' }],
      at: { lat: [typeError('number', 'string')], exact: [typeError('boolean', 'string')] },
      rooms: { 1: [{ message: 'Too small: expected number to be >0', code: 'too_small' }] },
    },
  ],
  ['place', JSON.parse('{"__proto__": {"city": "x"}}'), { city: [typeError('string', 'undefined')] }],
  ['extra', { 'a\0': 1 }, [nullCharacters]],
  ['slug', 'a'.repeat(11), [{ message: 'Too big: expected string to have <=10 characters', code: 'too_big' }]],
  ['day', 'x', [{ message: 'No day.', code: 'invalid_format' }]],
  ['day', '2024-02-29', [{ message: 'Taken.', code: 'custom' }]],
]

const acceptedValues: readonly (readonly [name: string, input: unknown, shown: unknown])[] = [
  ['title', ' a\r\n', ' a\r\n'],
  ['stars', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ['stars', ' +7 ', 7],
  ['weight', 0.1 + 0.2, 0.1 + 0.2],
  ['weight', '1e-7', 1e-7],
  ['weight', 1e300, 1e300],
  ['weight', null, null],
  ['is_public', 'off', false],
  ['is_public', '1', true],
  ['kind', '__proto__', '__proto__'],
  ['kind', null, null],
  ['level', '2', 2],
  ['level', null, null],
  ['tags', [], []],
  ['place', { city: 'x', unknown: 1 }, { city: 'x', rooms: [] }],
  [
    'place',
    { city: '5', at: { lat: '1.5', exact: 'on' }, rooms: ['7', 8] },
    { city: '5', at: { lat: 1.5, exact: true }, rooms: [7, 8] },
  ],
  ['place', null, null],
  ['extra', { a: [1, { b: null }], constructor: 'x', 5: '5' }, { a: [1, { b: null }], constructor: 'x', 5: '5' }],
  ['slug', 'A B', 'a-b'],
  ['nickname', 'x', 'x'],
  ['nickname', '', ''],
  ['nickname', null, 'nobody'],
  ['day', '2024-03-01', '2024-03-01'],
  ['day', null, null],
]

type Body = readonly (readonly [name: string, value: string])[]
const createFormRequests = (form: Body): RequestOptions[] => [
  { form },
  { headers: multipartHeaders, body: multipartBody(...form.map(([name, value]) => fieldPart(name, value))) },
]

onEachDatabase(
  () => ({ resources: [reviews], exceptionHandler: fullDetailsHandler }),
  api => {
    let library: LibraryApi
    let path: string

    before(async () => {
      library = api()
      path = `/reviews/${(await library.client.post('/reviews/', { json: { title: 'x' } })).json().id}/`
    })

    test('a missing value gets the default of the schema, computed for each object', async () => {
      const first = (await library.client.post('/reviews/', { json: { title: 'x' } })).json()
      const second = (await library.client.post('/reviews/', { json: { title: 'x' } })).json()
      const { id, tags, ...shown } = first
      assert.deepEqual(shown, {
        title: 'x',
        stars: 3,
        weight: null,
        is_public: true,
        kind: 'novel',
        level: null,
        place: null,
        extra: null,
        slug: 'none',
        nickname: 'somebody',
        day: null,
      })
      assert.notDeepEqual(tags, second.tags)
      const { id: _, ...validated } = { id, ...validatedValues.at(-2) }
      assert.deepEqual(validated, { ...shown, tags })
    })

    test('ERR-MSG-r4: a missing required field is an error; PUT keeps the values of missing optional fields', async () => {
      for (const body of [{ json: {} }, { form: {} }]) {
        const response = await library.client.post('/reviews/', body)
        assert.deepEqual([response.status, response.json()], [400, { title: [required] }])
      }
      const changed = (await library.client.patch(path, { json: { stars: 9, nickname: 'x', tags: ['k'] } })).json()
      assert.deepEqual((await library.client.put(path, { json: { title: changed.title } })).json(), changed)
    })

    test('responses and hooks get the output values of schemas, after the write and later', async () => {
      for (const [name, input, shown] of acceptedValues) {
        const response = await library.client.patch(path, { json: { [name]: input } })
        assert.deepEqual([response.status, response.json()[name]], [200, shown], JSON.stringify(input))
        assert.deepEqual((await library.client.get(path)).json()[name], shown)
        assert.deepEqual((validatedValues.at(-1) as Record<string, unknown>)[name], shown)
        // The next write reads the value from the database.
        await library.client.patch(path, { json: {} })
        assert.deepEqual((validatedValues.at(-1) as Record<string, unknown>)[name], shown)
      }
    })

    test('ERR-EXC-r2, ERR-BODY-2, ERR-MSG-p1: errors have the schema’s messages and codes, at the path of the invalid value', async () => {
      const rows = await library.rows('reviews')
      for (const [name, input, errors] of refusedValues) {
        const response = await library.client.patch(path, { json: { [name]: input } })
        assert.deepEqual(
          [response.status, response.json()],
          [400, { [name]: errors }],
          `${name} ${JSON.stringify(input)}`,
        )
      }
      assert.deepEqual(await library.rows('reviews'), rows)
    })

    test('texts of a form are converted to the input types of the schemas', async () => {
      const shown = {
        title: '5',
        stars: 7,
        weight: 1.5,
        is_public: true,
        kind: 'novel',
        level: 2,
        tags: ['1', 'true'],
        place: { city: '5', at: { lat: 1.5, exact: true }, rooms: [7, 8] },
        extra: { a: '1' },
        slug: 'x-y',
        nickname: '7',
        day: '2024-03-01',
      }
      const place: Body = [
        ['place.city', '5'],
        ['place.at.lat', '1.5'],
        ['place.at.exact', 'on'],
        ['place.rooms', '7'],
        ['place.rooms', '8'],
      ]
      for (const services of [place, [['place', JSON.stringify(shown.place)]] as const]) {
        const form: Body = [
          ...['title=5', 'stars=7', 'weight=1.5', 'is_public=on', 'kind=novel', 'level=2', 'tags=1', 'tags=true'],
          ...['extra={"a":"1"}', 'slug=X Y', 'nickname=7', 'day=2024-03-01'],
        ].map(pair => pair.split('=') as [string, string])
        for (const body of createFormRequests([...form, ...services])) {
          const response = await library.client.post('/reviews/', body)
          const { id, ...created } = response.json()
          assert.deepEqual([response.status, created], [201, shown])
          assert.deepEqual((await library.client.get(`/reviews/${id}/`)).json(), { id, ...shown })
        }
      }
    })

    test('an empty text of a form is null, or missing if the field is not nullable', async () => {
      await library.client.patch(path, {
        json: { title: 'x', stars: 5, weight: 1, kind: 'novel', nickname: 'x', place: { city: 'x' } },
      })
      const names = ['stars', 'weight', 'kind', 'level', 'place', 'extra', 'day']
      for (const body of createFormRequests(names.map(name => [name, '']))) {
        const response = await library.client.patch(path, body)
        const { stars, ...shown } = response.json()
        assert.equal(response.status, 200, response.text)
        assert.equal(stars, 5)
        assert.deepEqual(
          names.slice(1).map(name => shown[name]),
          [null, null, null, null, null, null],
        )
      }
      const response = await library.client.patch(path, { form: { stars: 'x', place: '{', 'place.city': 'x' } })
      assert.deepEqual(response.json(), {
        stars: [typeError('number', 'string')],
        place: [{ message: 'Value must be valid JSON.', code: 'invalid' }],
      })
    })

    test('OPTIONS describes types, limits, choices and nested fields', async () => {
      const { POST } = (await library.client.request('OPTIONS', '/reviews/')).json().actions
      const kinds = Object.entries(POST as Record<string, { type: string }>).map(([name, field]) => [name, field.type])
      assert.deepEqual(Object.fromEntries(kinds), {
        id: 'integer',
        title: 'string',
        stars: 'integer',
        weight: 'float',
        is_public: 'boolean',
        kind: 'choice',
        level: 'integer',
        tags: 'list',
        place: 'nested object',
        extra: 'nested object',
        slug: 'string',
        nickname: 'string',
        day: 'string',
      })
      assert.deepEqual(
        [POST.title.max_length, POST.stars.min_value, POST.title.required, POST.stars.required],
        [10, 1, true, false],
      )
      assert.deepEqual(
        [POST.slug.label, POST.slug.help_text, POST.tags.child.max_length],
        ['Short name', 'As in a URL', 5],
      )
      assert.deepEqual(
        [POST.kind.choices.length, POST.place.children.rooms.child.type, POST.place.children.city.required],
        [2, 'integer', true],
      )
    })
  },
  { migrations },
)

suite('declarations', () => {
  for (const [name, schema, reason] of [
    ['z.date()', z.date(), /Date cannot be represented/],
    ['z.bigint()', z.bigint(), /BigInt cannot be represented/],
    ['a date inside an object', z.object({ a: z.array(z.date()) }), /Date cannot be represented/],
    ['a map', z.map(z.string(), z.string()), /Map cannot be represented/],
    ['a class', z.instanceof(URL), /Custom types cannot be represented/],
    ['a transform without an output schema', z.string().transform(Number), /Transforms cannot be represented/],
  ] as const) {
    test(`${name} fails at start with a message that names the field and the fix`, () => {
      const declare = () => resource('books', { table: 'books', fields: { x: schema } })
      assert.throws(declare, /^Error: resource "books": field "x": /)
      assert.throws(declare, reason)
      assert.throws(declare, /use z\.iso\.datetime\(\) for dates, and end a transform with \.pipe\(…\)/)
    })
  }

  test('an optional schema without a default fails at start', () => {
    assert.throws(
      () => resource('books', { table: 'books', fields: { x: z.string().optional() } }),
      /^Error: resource "books": field "x" is optional: give it a default/,
    )
  })

  test('type, required, nullable and default are derived from the schema', () => {
    for (const [schema, expected] of [
      [z.string(), ['string', true, false]],
      [z.coerce.string(), ['string', true, false]],
      [z.coerce.number(), ['float', true, false]],
      [z.coerce.boolean(), ['boolean', true, false]],
      [z.string().nullable(), ['string', true, true]],
      [z.string().nullish(), ['string', false, true]],
      [z.number().default(1), ['float', false, false, 1]],
      [z.number().catch(1), ['float', false, false, 1]],
      [
        z
          .string()
          .optional()
          .transform(value => value ?? 'x')
          .pipe(z.string()),
        ['string', false, false, 'x'],
      ],
      [z.string().prefault('x'), ['string', false, false, 'x']],
      [
        z
          .string()
          .default('x')
          .refine(async () => true),
        ['string', false, false, 'x'],
      ],
      [z.preprocess(value => value, z.int()), ['integer', true, false]],
      [z.stringbool(), ['string', true, false]],
      [z.unknown(), ['json', true, true]],
      [z.json(), ['json', true, true]],
      [z.literal([1, 2]), ['integer', true, false]],
      [z.union([z.string(), z.number()]), ['json', true, false]],
      [z.tuple([z.int(), z.string()]), ['list', true, false]],
      [z.array(z.int()).readonly(), ['list', true, false]],
      [z.email(), ['string', true, false]],
    ] as const) {
      const { kind, required, nullable, default: initial } = zodField(schema)
      const actual = [kind.name, required, nullable, ...(initial === undefined ? [] : [initial])]
      assert.deepEqual(actual, expected, JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' })))
    }
  })

  test('a codec parses its own texts, and its output is stored', async () => {
    const { parse, store } = zodField(z.stringbool())
    const context = { baseUrl: '', route: () => undefined }
    assert.deepEqual([await parse('enabled', context), await parse('0', context), store], [true, false, undefined])
  })
})
