// Fields of many parts, each kept whole in one column: JSON, lists and objects; and validators, which every field can have.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import fc from 'fast-check'
import {
  boolean,
  choice,
  date,
  decimal,
  duration,
  hyperlinkedRelated,
  integer,
  json,
  key,
  list,
  type Migrations,
  number,
  object,
  readOnly,
  resource,
  text,
  url,
  ValidationError,
  writeOnly,
} from '../../src/framework/index.ts'
import type { RequestOptions } from '../support/client.ts'
import { fieldPart, multipartBody, multipartHeaders } from '../support/multipart.ts'
import { fullDetailsHandler, type LibraryApi, onEachDatabase } from '../support/own-api.ts'

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
      .addColumn('parts', json)
      .execute()
  },
}

const documents = resource('documents', { table: 'documents', fields: { id: key(), data: json() } })

const looseDocuments = resource('loose-documents', {
  table: 'documents',
  fields: { id: key(), data: json({ nullable: true }) },
})

/** What hooks were given, newest last. */
const heard: { hook: string; values: object }[] = []

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
  validate(values) {
    heard.push({ hook: 'validate', values })
    // The types are those of the fields.
    const minutes: readonly number[] = values.steps.map(({ minutes }) => minutes)
    const country: string | undefined = values.origin?.country
    const tags: readonly string[] = values.tags
    assert.deepEqual([minutes.length, typeof country, tags], [values.steps.length, typeof country, values.tags])
  },
  prepare(values) {
    heard.push({ hook: 'prepare', values })
    return {}
  },
  beforeSave(values) {
    heard.push({ hook: 'beforeSave', values })
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
    parts: list({
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

type Told = readonly (readonly [message: string, code: string])[]
/** Errors by field or index, at any depth. */
type Tree = Told | { readonly [key: string]: Tree }

const notNull = [['This field may not be null.', 'null']] as const
const required = [['This field is required.', 'required']] as const
const noList = (type: string) => [[`Expected a list of items but got type "${type}".`, 'not_a_list']] as const
const noObject = (type: string) => [[`Invalid data. Expected a dictionary, but got ${type}.`, 'invalid']] as const
const more = (n: number) => [[`Ensure this field has no more than ${n} elements.`, 'max_length']] as const
const noInteger = [['A valid integer is required.', 'invalid']] as const
const noText = [['Not a valid string.', 'invalid']] as const
const nul = [['Null characters are not allowed.', 'null_characters_not_allowed']] as const
const noJson = [['Value must be valid JSON.', 'invalid']] as const

const refused: Record<string, readonly (readonly [input: unknown, errors: Tree])[]> = {
  tags: [
    [null, notNull],
    ['a', noList('str')],
    [1, noList('int')],
    [1.5, noList('float')],
    [true, noList('bool')],
    [{ 0: 'a' }, noList('dict')],
    [['a', 'b', 'c', 'd'], more(3)],
    [['a', 'abcdef', null], { 1: [['Ensure this field has no more than 5 characters.', 'max_length']], 2: notNull }],
    [['', ['a'], 'a'], { 0: [['This field may not be blank.', 'blank']], 1: noText }],
    [['a\0', '\ud800'], { 0: nul, 1: noText }],
  ],
  matrix: [
    [[], [['Ensure this field has at least 1 elements.', 'min_length']]],
    [[[1, 2, 3]], { 0: more(2) }],
    [[[1], [null, 'x'], []], more(2)],
    [[[1], [null, 'x']], { 1: { 1: noInteger } }],
    [[1, [1.5]], { 0: noList('int'), 1: { 0: noInteger } }],
  ],
  steps: [
    [[], [['This list may not be empty.', 'empty']]],
    [[{}], { 0: { text: required } }],
    [[steps[0], 'x', null, []], { 1: noObject('str'), 2: notNull, 3: noObject('list') }],
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
    ['Peru', noObject('str')],
    [[], noObject('list')],
    [1, noObject('int')],
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
    ['a\0', nul],
    [['\udc00'], noJson],
    [{ a: { 'b\0': 1 } }, nul],
    [{ '\ud800': 1 }, noJson],
  ],
}

const isTold = (tree: Tree): tree is Told => Array.isArray(tree)

/** The errors as they are answered. */
const answered = (tree: Tree): unknown =>
  isTold(tree)
    ? tree.map(([message, code]) => ({ message, code }))
    : Object.fromEntries(Object.entries(tree).map(([name, of]) => [name, answered(of)]))

const jsonValues = fc
  .jsonValue({ stringUnit: 'binary', maxDepth: 5 })
  .map(value => JSON.stringify(value))
  .filter(value => !value.includes('\\u0000'))
  .map(value => JSON.parse(value) as unknown)

const nestedTo = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

type Body = readonly (readonly [name: string, value: string])[]
const asMultipart = (form: Body): RequestOptions => ({
  headers: multipartHeaders,
  body: multipartBody(...form.map(([name, value]) => fieldPart(name, value))),
})
const forms = (form: Body): RequestOptions[] => [{ form }, asMultipart(form)]

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

    /** Asks, and expects success; answers what is shown. */
    const write = async (method: string, path: string, options: RequestOptions) => {
      const response = await library.client.request(method, path, options)
      assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`)
      return response.json()
    }
    const read = async (path: string) => (await library.client.get(path)).json()
    const create = async (path: string, options: RequestOptions): Promise<string> =>
      `${path}${(await write('POST', path, options)).id}/`
    const refusal = async (method: string, path: string, options: RequestOptions) => {
      const response = await library.client.request(method, path, options)
      return [response.status, response.json()] as const
    }

    test('any JSON comes back as it was sent, from every action', async () => {
      await fc.assert(
        fc.asyncProperty(jsonValues, jsonValues, async (first, second) => {
          const { id, ...created } = await write('POST', '/loose-documents/', { json: { data: first } })
          const at = `/loose-documents/${id}/`
          assert.deepEqual([created, await read(at)], [{ data: first }, { id, data: first }])
          for (const method of ['PATCH', 'PUT']) {
            assert.deepEqual(await write(method, at, { json: { data: second } }), { id, data: second })
            assert.deepEqual((await read('/loose-documents/')).at(-1), { id, data: second })
          }
        }),
        { numRuns: 60 },
      )
    })

    test('JSON in a form is a text of it, and the same row', async () => {
      const at = await create('/documents/', { json: { data: 0 } })
      await fc.assert(
        fc.asyncProperty(jsonValues, async data => {
          fc.pre(data !== null)
          for (const body of forms([['data', JSON.stringify(data)]]))
            assert.deepEqual((await write('PUT', at, body)).data, data)
        }),
        { numRuns: 40 },
      )
      for (const text of ['', ' ', 'x', '{', "{'a': 1}", '1e400', '[-1e400]', 'NaN', nestedTo(65), nestedTo(500_000)]) {
        for (const body of forms([['data', text]]))
          assert.deepEqual(await refusal('PATCH', at, body), [400, { data: answered(noJson) }], text.slice(0, 20))
      }
      assert.deepEqual(await refusal('PATCH', at, { form: { data: 'null' } }), [400, { data: answered(notNull) }])
      assert.equal((await write('PATCH', at, { form: { data: nestedTo(64) } })).id > 0, true)
    })

    test('ERR-EXC-r1: JSON within the parser’s depth is kept, beyond it the body is refused', async () => {
      for (const [depth, status] of [
        [63, 201],
        [64, 400],
        [10_000, 400],
      ] as const) {
        const headers = { 'content-type': 'application/json' }
        const body = `{"data": ${nestedTo(depth)}}`
        assert.equal((await library.client.post('/documents/', { headers, body })).status, status)
      }
    })

    test('keys that JavaScript has a meaning for are keys like any other', async () => {
      const body = '{"data": {"__proto__": {"a": 1}, "constructor": {"prototype": {"a": 1}}, "toString": null}}'
      const response = await library.client.post('/documents/', {
        headers: { 'content-type': 'application/json' },
        body,
      })
      assert.equal(JSON.stringify(response.json().data), JSON.stringify(JSON.parse(body).data))
      assert.equal(({} as { a?: number }).a, undefined)
    })

    test('a nullable field is null as JSON, or as an empty text of a form; any other is not', async () => {
      const at = await create('/loose-documents/', { json: {} })
      assert.equal((await read(at)).data, null)
      for (const body of [{ json: { data: null } }, { form: { data: '' } }, { form: { data: 'null' } }]) {
        await write('PATCH', at, { json: { data: 1 } })
        assert.equal((await write('PATCH', at, body)).data, null)
        assert.deepEqual((await library.rows('documents')).at(-1)!.data, null)
      }
      assert.deepEqual(await refusal('PUT', at.replace('loose-', ''), { json: { data: null } }), [
        400,
        { data: answered(notNull) },
      ])
    })

    test('lists and objects of every depth come back as they are kept, and hooks see them so', async () => {
      heard.length = 0
      const at = await create('/recipes/', { json: recipe })
      const id = Number(at.split('/').at(-2))
      assert.deepEqual(await read(at), { id, ...recipe })
      assert.deepEqual((await read('/recipes/')).at(-1), { id, ...recipe })
      await write('PATCH', at, { json: { tags: [] } })
      const [created, patched] = [recipe, { ...recipe, tags: [] }]
      const hooks = ['validate', 'prepare', 'beforeSave']
      assert.deepEqual(
        heard,
        [created, patched].flatMap(values => hooks.map(hook => ({ hook, values }))),
      )
    })

    test('items and parts are read by their fields, and take their defaults; unknown keys are dropped', async () => {
      const sent = {
        steps: [{ text: ' Boil ', minutes: '7', x: 1, constructor: 1 }],
        origin: { country: 1, place: { lat: '1e1', lon: 2, since: null, x: 1 }, unknown: {} },
      }
      const { id, ...shown } = await write('POST', '/recipes/', { json: sent })
      const kept = {
        tags: ['new'],
        matrix: null,
        steps: [{ text: 'Boil', minutes: 7, done: false, tools: [] }],
        origin: { country: '1', place: { lat: 10, lon: 2, since: null }, verified: true },
        notes: null,
      }
      assert.deepEqual([shown, await read(`/recipes/${id}/`)], [kept, { id, ...kept }])
    })

    test('PATCH replaces a list or an object whole, and leaves the others', async () => {
      const at = await create('/recipes/', { json: recipe })
      const origin = { country: 'Chile', place: null, verified: true }
      for (const [change, shown] of [
        [{ origin: { country: 'Chile' } }, { origin }],
        [{ steps: [{ text: 'Fry' }] }, { steps: [{ text: 'Fry', minutes: 5, done: false, tools: [] }] }],
        [
          { matrix: null, origin: null },
          { matrix: null, origin: null },
        ],
      ] as const) {
        const before = await read(at)
        assert.deepEqual(await write('PATCH', at, { json: change }), { ...before, ...shown })
      }
    })

    for (const [name, cases] of Object.entries(refused)) {
      test(`ERR-EXC-r2, ERR-BODY-2, ERR-MSG-p1, ERR-GAP-b1: what ${name} refuses, told where it stands`, async () => {
        const at = await create('/recipes/', { json: recipe })
        const before = await read(at)
        for (const [input, errors] of cases) {
          const answer = await refusal('PATCH', at, { json: { [name]: input } })
          assert.deepEqual(answer, [400, { [name]: answered(errors) }], JSON.stringify(input))
        }
        assert.deepEqual(await read(at), before)
      })
    }

    test('a form says the same: lists as repeated names or JSON texts, objects by name.part or as JSON text', async () => {
      const whole: Body = [
        ...recipeForm.filter(([name]) => !name.startsWith('origin')),
        ['origin', JSON.stringify(recipe.origin)],
      ]
      for (const body of [...forms(recipeForm), ...forms(whole)]) {
        const { id, ...created } = await write('POST', '/recipes/', body)
        assert.deepEqual([created, await read(`/recipes/${id}/`)], [recipe, { id, ...recipe }])
      }
    })

    test('a partial form leaves what it does not name; any other empties its lists', async () => {
      const at = await create('/recipes/', { json: { ...recipe, matrix: null } })
      const id = Number(at.split('/').at(-2))
      for (const body of forms([['tags', 'z']]))
        assert.deepEqual(await write('PATCH', at, body), { id, ...recipe, matrix: null, tags: ['z'] })
      for (const body of forms([['origin.country', 'Chile']])) {
        // What is named is replaced whole: in it, an absent box is false.
        const { origin } = await write('PATCH', at, body)
        assert.deepEqual(origin, { country: 'Chile', place: null, verified: false })
      }
      for (const body of forms([['origin', '']])) assert.equal((await write('PATCH', at, body)).origin, null)
      assert.deepEqual(await refusal('PUT', at, { form: { tags: 'a' } }), [
        400,
        {
          matrix: answered([['Ensure this field has at least 1 elements.', 'min_length']]),
          steps: answered([['This list may not be empty.', 'empty']]),
        },
      ])
    })

    test('ERR-BODY-2: errors in a form stand where those of JSON do', async () => {
      const form: Body = [
        ['tags', 'abcdef'],
        ['matrix', '[1]'],
        ['steps', '{"minutes": "x"}'],
        ['origin.place.lat', 'x'],
        ['notes', '{'],
      ]
      const errors: Tree = {
        tags: { 0: [['Ensure this field has no more than 5 characters.', 'max_length']] },
        steps: { 0: { text: required, minutes: noInteger } },
        origin: { country: required, place: { lat: [['A valid number is required.', 'invalid']], lon: required } },
        notes: noJson,
      }
      for (const body of forms(form))
        assert.deepEqual(await refusal('POST', '/recipes/', body), [400, answered(errors)])
      for (const body of forms([['steps', '[']]))
        assert.deepEqual(await refusal('PATCH', await create('/recipes/', { json: recipe }), body), [
          400,
          { steps: answered(noJson) },
        ])
    })

    test('validators look in turn at a value that is one of its kind; the first error is the field’s', async () => {
      for (const [input, error, told] of [
        ['fine', undefined, ['first fine', 'second fine', 'third fine']],
        [' late odd ', 'late', ['first late odd', 'second late odd']],
        ['odd', 'odd', ['first odd', 'second odd', 'third odd']],
        [null, undefined, []],
        [true, 'invalid', []],
      ] as const) {
        validated.length = 0
        const bodies = [{ json: { code: input } }, ...(typeof input === 'string' ? forms([['code', input]]) : [])]
        for (const body of bodies) {
          validated.length = 0
          const [status, answer] = await refusal('POST', '/checked/', body)
          assert.deepEqual([status, answer.code?.[0]?.code, validated], [error ? 400 : 201, error, told])
        }
      }
    })

    test('validators of items and of the list they are in', async () => {
      for (const [input, errors] of [
        [[2, 3, 4, 5], { 1: [['It is uneven.', 'uneven']], 3: [['It is uneven.', 'uneven']] }],
        [[2, 4, 6], [['It is three.', 'three']]],
      ] as const)
        for (const body of [{ json: { parts: input } }, ...forms(input.map(item => ['parts', String(item)]))])
          assert.deepEqual(await refusal('POST', '/checked/', body), [400, { parts: answered(errors as Tree) }])
      assert.deepEqual((await write('POST', '/checked/', { json: { parts: [2, 4] } })).parts, [2, 4])
    })
  },
  { migrations },
)

suite('a declaration', () => {
  const message = /cannot be a relation, computed, read-only, write-only or unique: make it a field of the resource$/
  for (const [name, part] of Object.entries({
    'a relation': hyperlinkedRelated({ to: documents, column: 'document_id' }),
    'a relation to many': hyperlinkedRelated({ to: documents, many: { reverse: 'document_id' } }),
    'a key': key(),
    'a read-only field': readOnly(text()),
    'a write-only field': writeOnly(text()),
    'a unique field': text({ unique: 'This field must be unique.' }),
  })) {
    test(`ERR-GAP-b1: ${name} cannot stand inside a list or an object`, () => {
      assert.throws(() => list<unknown>({ of: part }), message)
      assert.throws(() => object({ fields: { fine: text(), part } }), message)
    })
  }

  test('what has a form of its own in a column has the shown one inside JSON', async () => {
    const fields = { price: decimal({ maxDigits: 4, decimalPlaces: 2 }), lasts: duration(), site: url() }
    const { parse } = list({ of: object({ fields }) })
    const items = await parse([{ price: 1.5, lasts: 90, site: 'http://a.example' }], {
      baseUrl: '',
      route: () => undefined,
    })
    assert.deepEqual(items, [{ price: '1.50', lasts: '00:01:30', site: 'http://a.example' }])
  })
})
