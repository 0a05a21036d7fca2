// JSON, list and object fields, each stored in one column; and validators, which every field accepts.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import fc from 'fast-check'
import {
  boolean,
  choice,
  date,
  decimal,
  duration,
  integer,
  json,
  key,
  list,
  type Migrations,
  number,
  object,
  readOnly,
  related,
  resource,
  text,
  url,
  ValidationError,
  writeOnly,
} from 'resource-api'
import type { Field } from 'resource-api/extend'
import type { RequestOptions } from '../support/client.ts'
import { fieldPart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { fullDetailsHandler, type LibraryApi, onEachDatabase } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const migrations: Migrations = {
  async '0001_compounds'(kysely, { key, json, text }) {
    await kysely.schema.createTable('documents').addColumn('id', key).addColumn('data', json).execute()
    await kysely.schema
      .createTable('recipes')
      .addColumn('id', key)
      .addColumn('tags', json)
      .addColumn('matrix', json)
      .addColumn('steps', json)
      .addColumn('origin', json)
      .addColumn('notes', json)
      .execute()
    await kysely.schema
      .createTable('checked')
      .addColumn('id', key)
      .addColumn('code', text)
      .addColumn('services', json)
      .execute()
  },
}

const documents = resource('documents', { table: 'documents', fields: { id: key(), data: json() } })

const looseDocuments = resource('loose-documents', {
  table: 'documents',
  fields: { id: key(), data: json({ nullable: true }) },
})

/** The values that each hook received, oldest first. */
const hookCalls: { hook: string; values: object }[] = []

const recipeFields = {
  id: key(),
  tags: list({ of: text({ max: 5 }), max: 3, default: ['new'] }),
  matrix: list({ of: list({ of: integer({ nullable: true }), max: 2 }), min: 1, max: 2, nullable: true }),
  steps: list({
    of: object({
      fields: {
        text: text(),
        minutes: integer({ min: 0, default: 5 }),
        done: boolean({ default: false }),
        tools: list({ of: choice(['pan', 'pot']), default: [] }),
      },
    }),
    empty: false,
  }),
  origin: object({
    fields: {
      country: text(),
      place: object({ fields: { lat: number(), lon: number(), since: date({ nullable: true }) }, nullable: true }),
      verified: boolean({ default: true }),
    },
    nullable: true,
  }),
  notes: json<{ readonly by: string } | null>({ nullable: true }),
}

const recipes = resource('recipes', {
  table: 'recipes',
  fields: recipeFields,
  validate({ values }) {
    hookCalls.push({ hook: 'validate', values })
    // Compile-time check: values have the types of their fields.
    const minutes: readonly number[] = values.steps.map(({ minutes }) => minutes)
    const country: string | undefined = values.origin?.country
    const tags: readonly string[] = values.tags
    assert.deepEqual([minutes.length, typeof country, tags], [values.steps.length, typeof country, values.tags])
  },
  prepare({ values }) {
    hookCalls.push({ hook: 'prepare', values })
    return {}
  },
  beforeSave({ values }) {
    hookCalls.push({ hook: 'beforeSave', values })
  },
})

const validated: string[] = []
const refuse = (code: string) => {
  throw new ValidationError(`It is ${code}.`, code)
}

const checked = resource('checked', {
  table: 'checked',
  fields: {
    id: key(),
    code: text({
      nullable: true,
      validators: [
        value => void validated.push(`first ${value}`),
        async value => {
          await new Promise(setImmediate)
          validated.push(`second ${value}`)
          if (value.includes('late')) refuse('late')
        },
        value => {
          validated.push(`third ${value}`)
          if (value.includes('odd')) refuse('odd')
        },
      ],
    }),
    services: list({
      of: integer({ validators: [value => (value % 2 === 0 ? undefined : refuse('uneven'))] }),
      validators: [async ({ length }) => (length === 3 ? refuse('three') : undefined)],
      default: [],
    }),
  },
})

const steps = [{ text: 'Boil', minutes: 7, done: false, tools: ['pot'] }]
const recipe = {
  tags: ['a', 'b'],
  matrix: [[1, null], []],
  steps,
  origin: { country: 'Peru', place: { lat: 1.5, lon: -70, since: '2024-02-29' }, verified: false },
  notes: { by: 'ann' },
}

type ErrorList = readonly (readonly [message: string, code: string])[]
/** Errors by field or index, at any depth. */
type ErrorTree = ErrorList | { readonly [key: string]: ErrorTree }

const notNull = [['This field may not be null.', 'null']] as const
const required = [['This field is required.', 'required']] as const
const notList = (type: string) => [[`Expected a list of items but got type "${type}".`, 'not_a_list']] as const
const notObject = (type: string) => [[`Invalid data. Expected a dictionary, but got ${type}.`, 'invalid']] as const
const tooMany = (n: number) => [[`Ensure this field has no more than ${n} elements.`, 'max_length']] as const
const notInteger = [['A valid integer is required.', 'invalid']] as const
const notText = [['Not a valid string.', 'invalid']] as const
const nullCharacter = [['Null characters are not allowed.', 'null_characters_not_allowed']] as const
const notJson = [['Value must be valid JSON.', 'invalid']] as const

const refused: Record<string, readonly (readonly [input: unknown, errors: ErrorTree])[]> = {
  tags: [
    [null, notNull],
    ['a', notList('str')],
    [1, notList('int')],
    [1.5, notList('float')],
    [true, notList('bool')],
    [{ 0: 'a' }, notList('dict')],
    [['a', 'b', 'c', 'd'], tooMany(3)],
    [['a', 'abcdef', null], { 1: [['Ensure this field has no more than 5 characters.', 'max_length']], 2: notNull }],
    [['', ['a'], 'a'], { 0: [['This field may not be blank.', 'blank']], 1: notText }],
    [['a\0', '\ud800'], { 0: nullCharacter, 1: notText }],
  ],
  matrix: [
    [[], [['Ensure this field has at least 1 elements.', 'min_length']]],
    [[[1, 2, 3]], { 0: tooMany(2) }],
    [[[1], [null, 'x'], []], tooMany(2)],
    [[[1], [null, 'x']], { 1: { 1: notInteger } }],
    [[1, [1.5]], { 0: notList('int'), 1: { 0: notInteger } }],
  ],
  steps: [
    [[], [['This list may not be empty.', 'empty']]],
    [[{}], { 0: { text: required } }],
    [[steps[0], 'x', null, []], { 1: notObject('str'), 2: notNull, 3: notObject('list') }],
    [
      [{ text: null, minutes: -1, done: 'x', tools: ['pan', 'cup'] }],
      {
        0: {
          text: notNull,
          minutes: [['Ensure this value is greater than or equal to 0.', 'min_value']],
          done: [['Must be a valid boolean.', 'invalid']],
          tools: { 1: [['"cup" is not a valid choice.', 'invalid_choice']] },
        },
      },
    ],
    [JSON.parse('[{"__proto__": {"text": "x"}}]'), { 0: { text: required } }],
  ],
  origin: [
    ['Peru', notObject('str')],
    [[], notObject('list')],
    [1, notObject('int')],
    [{}, { country: required }],
    [{ country: 'Peru', place: {} }, { place: { lat: required, lon: required } }],
    [
      { place: { lat: 'x', lon: 1, since: 'x' } },
      {
        country: required,
        place: {
          lat: [['A valid number is required.', 'invalid']],
          since: [['Date has wrong format. Use one of these formats instead: YYYY-MM-DD.', 'invalid']],
        },
      },
    ],
    [JSON.parse('{"__proto__": {"country": "Peru"}}'), { country: required }],
    [{ constructor: { country: 'x' }, toString: 1 }, { country: required }],
  ],
  notes: [
    ['a\0', nullCharacter],
    [['\udc00'], notJson],
    [{ a: { 'b\0': 1 } }, nullCharacter],
    [{ '\ud800': 1 }, notJson],
  ],
}

const isErrorList = (errors: ErrorTree): errors is ErrorList => Array.isArray(errors)

/** Converts errors to the representation in the response body. */
const toResponseErrors = (errors: ErrorTree): unknown =>
  isErrorList(errors)
    ? errors.map(([message, code]) => ({ message, code }))
    : Object.fromEntries(Object.entries(errors).map(([name, subtree]) => [name, toResponseErrors(subtree)]))

const jsonValues = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 5 })
  .map(value => JSON.stringify(value))
  .filter(value => !value.includes('\\u0000'))
  .map(value => JSON.parse(value) as unknown)

const nestArrays = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

type Body = readonly (readonly [name: string, value: string])[]
const toMultipart = (form: Body): RequestOptions => ({
  headers: multipartHeaders,
  body: multipartBody(...form.map(([name, value]) => fieldPart(name, value))),
})
const toForms = (form: Body): RequestOptions[] => [{ form }, toMultipart(form)]

const recipeForm: Body = [
  ['tags', 'a'],
  ['tags', 'b'],
  ['matrix', '[1,null]'],
  ['matrix', '[]'],
  ['steps', JSON.stringify(steps[0])],
  ['origin.country', 'Peru'],
  ['origin.place.lat', '1.5'],
  ['origin.place.lon', '-70'],
  ['origin.place.since', '2024-02-29'],
  ['notes', '{"by": "ann"}'],
]

onEachDatabase(
  () => ({ resources: [documents, looseDocuments, recipes, checked], exceptionHandler: fullDetailsHandler }),
  api => {
    let library: LibraryApi
    before(() => {
      library = api()
    })

    /** Sends a request, asserts that it succeeds and returns the representation. */
    const write = async (method: string, path: string, options: RequestOptions) => {
      const response = await library.client.request(method, path, options)
      assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`)
      return response.json()
    }
    const read = async (path: string) => (await library.client.get(path)).json()
    const create = async (path: string, options: RequestOptions): Promise<string> =>
      `${path}${(await write('POST', path, options)).id}/`
    const sendRequest = async (method: string, path: string, options: RequestOptions) => {
      const response = await library.client.request(method, path, options)
      return [response.status, response.json()] as const
    }

    test('every action returns JSON values as they were sent', async () => {
      await fc.assert(
        fc.asyncProperty(jsonValues, jsonValues, async (first, second) => {
          const { id, ...created } = await write('POST', '/loose-documents/', { json: { data: first } })
          const path = `/loose-documents/${id}/`
          assert.deepEqual([created, await read(path)], [{ data: first }, { id, data: first }])
          for (const method of ['PATCH', 'PUT']) {
            assert.deepEqual(await write(method, path, { json: { data: second } }), { id, data: second })
            assert.deepEqual((await read('/loose-documents/')).at(-1), { id, data: second })
          }
        }),
        { numRuns: randomCases(60) },
      )
    })

    test('a form field contains JSON text, which is stored like a JSON body', async () => {
      const path = await create('/documents/', { json: { data: 0 } })
      await fc.assert(
        fc.asyncProperty(jsonValues, async data => {
          fc.pre(data !== null)
          for (const body of toForms([['data', JSON.stringify(data)]]))
            assert.deepEqual((await write('PUT', path, body)).data, data)
        }),
        { numRuns: randomCases(40) },
      )
      for (const text of [
        '',
        ' ',
        'x',
        '{',
        "{'a': 1}",
        '1e400',
        '[-1e400]',
        'NaN',
        nestArrays(65),
        nestArrays(500_000),
      ]) {
        for (const body of toForms([['data', text]]))
          assert.deepEqual(
            await sendRequest('PATCH', path, body),
            [400, { data: toResponseErrors(notJson) }],
            text.slice(0, 20),
          )
      }
      assert.deepEqual(await sendRequest('PATCH', path, { form: { data: 'null' } }), [
        400,
        { data: toResponseErrors(notNull) },
      ])
      assert.equal((await write('PATCH', path, { form: { data: nestArrays(64) } })).id > 0, true)
    })

    test('ERR-EXC-r1: JSON up to the depth limit of the parser is stored, and deeper JSON is refused', async () => {
      for (const [depth, status] of [
        [63, 201],
        [64, 400],
        [10_000, 400],
      ] as const) {
        const headers = { 'content-type': 'application/json' }
        const body = `{"data": ${nestArrays(depth)}}`
        assert.equal((await library.client.post('/documents/', { headers, body })).status, status)
      }
    })

    test('keys such as __proto__ are ordinary keys', async () => {
      const body = '{"data": {"__proto__": {"a": 1}, "constructor": {"prototype": {"a": 1}}, "toString": null}}'
      const response = await library.client.post('/documents/', {
        headers: { 'content-type': 'application/json' },
        body,
      })
      assert.equal(JSON.stringify(response.json().data), JSON.stringify(JSON.parse(body).data))
      assert.equal(({} as { a?: number }).a, undefined)
    })

    test('a nullable field accepts null in JSON and an empty form value; other fields reject null', async () => {
      const path = await create('/loose-documents/', { json: {} })
      assert.equal((await read(path)).data, null)
      for (const body of [{ json: { data: null } }, { form: { data: '' } }, { form: { data: 'null' } }]) {
        await write('PATCH', path, { json: { data: 1 } })
        assert.equal((await write('PATCH', path, body)).data, null)
        assert.deepEqual((await library.rows('documents')).at(-1)!.data, null)
      }
      assert.deepEqual(await sendRequest('PUT', path.replace('loose-', ''), { json: { data: null } }), [
        400,
        { data: toResponseErrors(notNull) },
      ])
    })

    test('nested lists and objects are returned as stored, and hooks receive the same values', async () => {
      hookCalls.length = 0
      const path = await create('/recipes/', { json: recipe })
      const id = Number(path.split('/').at(-2))
      assert.deepEqual(await read(path), { id, ...recipe })
      assert.deepEqual((await read('/recipes/')).at(-1), { id, ...recipe })
      await write('PATCH', path, { json: { tags: [] } })
      const [created, patched] = [recipe, { ...recipe, tags: [] }]
      const hooks = ['validate', 'prepare', 'beforeSave']
      assert.deepEqual(
        hookCalls,
        [created, patched].flatMap(values => hooks.map(hook => ({ hook, values }))),
      )
    })

    test('nested fields parse their values and apply defaults; unknown keys are dropped', async () => {
      const input = {
        steps: [{ text: ' Boil ', minutes: '7', x: 1, constructor: 1 }],
        origin: { country: 1, place: { lat: '1e1', lon: 2, since: null, x: 1 }, unknown: {} },
      }
      const { id, ...representation } = await write('POST', '/recipes/', { json: input })
      const stored = {
        tags: ['new'],
        matrix: null,
        steps: [{ text: 'Boil', minutes: 7, done: false, tools: [] }],
        origin: { country: '1', place: { lat: 10, lon: 2, since: null }, verified: true },
        notes: null,
      }
      assert.deepEqual([representation, await read(`/recipes/${id}/`)], [stored, { id, ...stored }])
    })

    test('PATCH replaces a list or an object as a whole, and leaves the other fields', async () => {
      const path = await create('/recipes/', { json: recipe })
      const origin = { country: 'Chile', place: null, verified: true }
      for (const [change, representation] of [
        [{ origin: { country: 'Chile' } }, { origin }],
        [{ steps: [{ text: 'Fry' }] }, { steps: [{ text: 'Fry', minutes: 5, done: false, tools: [] }] }],
        [
          { matrix: null, origin: null },
          { matrix: null, origin: null },
        ],
      ] as const) {
        const before = await read(path)
        assert.deepEqual(await write('PATCH', path, { json: change }), { ...before, ...representation })
      }
    })

    for (const [name, cases] of Object.entries(refused)) {
      test(`ERR-EXC-r2, ERR-BODY-2, ERR-MSG-p1, ERR-GAP-b1: ${name} reports each invalid value at its index or key`, async () => {
        const path = await create('/recipes/', { json: recipe })
        const before = await read(path)
        for (const [input, errors] of cases) {
          const response = await sendRequest('PATCH', path, { json: { [name]: input } })
          assert.deepEqual(response, [400, { [name]: toResponseErrors(errors) }], JSON.stringify(input))
        }
        assert.deepEqual(await read(path), before)
      })
    }

    test('forms send lists as repeated names or JSON text, and objects as name.part or JSON text', async () => {
      const formWithJsonObject: Body = [
        ...recipeForm.filter(([name]) => !name.startsWith('origin')),
        ['origin', JSON.stringify(recipe.origin)],
      ]
      for (const body of [...toForms(recipeForm), ...toForms(formWithJsonObject)]) {
        const { id, ...created } = await write('POST', '/recipes/', body)
        assert.deepEqual([created, await read(`/recipes/${id}/`)], [recipe, { id, ...recipe }])
      }
    })

    test('PATCH with a form leaves omitted fields; PUT with a form empties omitted lists', async () => {
      const path = await create('/recipes/', { json: { ...recipe, matrix: null } })
      const id = Number(path.split('/').at(-2))
      for (const body of toForms([['tags', 'z']]))
        assert.deepEqual(await write('PATCH', path, body), { id, ...recipe, matrix: null, tags: ['z'] })
      for (const body of toForms([['origin.country', 'Chile']])) {
        // A named object is replaced as a whole, so a checkbox that is absent from it is false.
        const { origin } = await write('PATCH', path, body)
        assert.deepEqual(origin, { country: 'Chile', place: null, verified: false })
      }
      for (const body of toForms([['origin', '']])) assert.equal((await write('PATCH', path, body)).origin, null)
      assert.deepEqual(await sendRequest('PUT', path, { form: { tags: 'a' } }), [
        400,
        {
          matrix: toResponseErrors([['Ensure this field has at least 1 elements.', 'min_length']]),
          steps: toResponseErrors([['This list may not be empty.', 'empty']]),
        },
      ])
    })

    test('ERR-BODY-2: errors of a form body have the same structure as errors of a JSON body', async () => {
      const form: Body = [
        ['tags', 'abcdef'],
        ['matrix', '[1]'],
        ['steps', '{"minutes": "x"}'],
        ['origin.place.lat', 'x'],
        ['notes', '{'],
      ]
      const errors: ErrorTree = {
        tags: { 0: [['Ensure this field has no more than 5 characters.', 'max_length']] },
        steps: { 0: { text: required, minutes: notInteger } },
        origin: { country: required, place: { lat: [['A valid number is required.', 'invalid']], lon: required } },
        notes: notJson,
      }
      for (const body of toForms(form))
        assert.deepEqual(await sendRequest('POST', '/recipes/', body), [400, toResponseErrors(errors)])
      for (const body of toForms([['steps', '[']]))
        assert.deepEqual(await sendRequest('PATCH', await create('/recipes/', { json: recipe }), body), [
          400,
          { steps: toResponseErrors(notJson) },
        ])
    })

    test('validators run in order on a value of the right type; the first error is reported', async () => {
      for (const [input, error, expectedCalls] of [
        ['fine', undefined, ['first fine', 'second fine', 'third fine']],
        [' late odd ', 'late', ['first late odd', 'second late odd']],
        ['odd', 'odd', ['first odd', 'second odd', 'third odd']],
        [null, undefined, []],
        [true, 'invalid', []],
      ] as const) {
        validated.length = 0
        const bodies = [{ json: { code: input } }, ...(typeof input === 'string' ? toForms([['code', input]]) : [])]
        for (const body of bodies) {
          validated.length = 0
          const [status, response] = await sendRequest('POST', '/checked/', body)
          assert.deepEqual([status, response.code?.[0]?.code, validated], [error ? 400 : 201, error, expectedCalls])
        }
      }
    })

    test('items and lists have validators of their own', async () => {
      for (const [input, errors] of [
        [[2, 3, 4, 5], { 1: [['It is uneven.', 'uneven']], 3: [['It is uneven.', 'uneven']] }],
        [[2, 4, 6], [['It is three.', 'three']]],
      ] as const)
        for (const body of [{ json: { services: input } }, ...toForms(input.map(item => ['services', String(item)]))])
          assert.deepEqual(await sendRequest('POST', '/checked/', body), [
            400,
            { services: toResponseErrors(errors as ErrorTree) },
          ])
      assert.deepEqual((await write('POST', '/checked/', { json: { services: [2, 4] } })).services, [2, 4])
    })
  },
  { migrations },
)

suite('declarations', () => {
  const message = /cannot be a relation, computed, read-only, write-only or unique: make it a field of the resource$/
  for (const [name, part] of Object.entries<Field>({
    'a relation': related(documents, { column: 'document_id', form: 'url' }),
    'a relation to many': related(documents, { many: { reverse: 'document_id' }, form: 'url' }),
    'a key': key(),
    'a read-only field': readOnly(text()),
    'a write-only field': writeOnly(text()),
    'a unique field': text({ unique: 'This field must be unique.' }),
  })) {
    test(`ERR-GAP-b1: ${name} cannot be inside a list or an object`, () => {
      assert.throws(() => list({ of: part }), message)
      assert.throws(() => object({ fields: { fine: text(), part } }), message)
    })
  }

  test('inside a list or object, values are stored in their API representation', async () => {
    const fields = { price: decimal({ maxDigits: 4, decimalPlaces: 2 }), lasts: duration(), site: url() }
    const { parse } = list({ of: object({ fields }) })
    const items = await parse([{ price: 1.5, lasts: 90, site: 'http://a.example' }], {
      baseUrl: '',
      route: () => undefined,
    })
    assert.deepEqual(items, [{ price: '1.50', lasts: '00:01:30', site: 'http://a.example' }])
  })
})
