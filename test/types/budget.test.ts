// The work of the compiler per resource, in a program as users write it: resources with filters and a relation, the types
// that follow from them, an API and a client. The number of instantiated types is the same on every machine, unlike the time.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { skipUnlessThorough } from '../support/repetitions.ts'
import { createProject } from './project.ts'

/** The most types that the compiler may instantiate for a resource. */
const budget = 4200

const authors = `
import { boolean, integer, key, resource, text } from 'resource-api'
export const authors = resource('authors', {
  table: 'authors',
  fields: { id: key(), name: text(), born: integer({ nullable: true }), alive: boolean({ default: true }) },
  filters: { name: true },
})
`

/** A resource with ten fields and a relation. `target`: the constant to which it refers. */
const declare = (index: number, target: string, shown: string) => `
import {
  boolean, choice, type CreateBody, dateTime, decimal, integer, key, type PatchBody, type Query, readOnly, related,
  type Representation, resource, text, type UpdateBody,
} from 'resource-api'
import { ${target} } from './${target}.ts'
export const things${index} = resource('things${index}', {
  table: 'things',
  fields: {
    id: key(),
    title: text({ max: 200 }),
    subtitle: text({ nullable: true }),
    pages: integer({ min: 1, default: 100 }),
    price: decimal({ maxDigits: 6, decimalPlaces: 2 }),
    kind: choice(['novel', 'essay'], { default: 'novel' }),
    sold: boolean({ default: false }),
    isbn: text({ unique: 'This field must be unique.' }),
    stock: integer(),
    created: readOnly(dateTime()),
    origin: related(${target}, { shows: ['id', '${shown}'] }),
  },
  perAction: { list: { shows: ['id', 'title'] } },
  filters: {
    kind: true,
    pages: true,
    title: ['exact', 'startswith'],
    origin: ['exact', 'in'],
    'origin.${shown}': ['exact', 'in'],
    created: ['range', 'year'],
  },
  orderingFields: ['title', 'created'],
  searchFields: ['title'],
  hookColumns: ['owner_id'],
  prepare: ({ user }) => ({ owner_id: user.id }),
  validate: ({ values: { pages, price } }) => {
    if (pages > Number(price)) throw new Error('too many pages')
  },
})

type Things = typeof things${index}
export const show = (thing: Representation<Things>): string => thing.title + thing.kind + (thing.subtitle ?? '')
export const created: CreateBody<Things> = { title: 'a', price: '1.00', isbn: '1', stock: 1, origin: 1 }
export const replaced: UpdateBody<Things> = created
export const changed: PatchBody<Things> = { subtitle: null }
export const query: Query<Things> = { kind: 'novel', origin__${shown}: 'a', ordering: '-title' }
`

/** An API with these resources, and a client that lists, creates and retrieves the objects of each. */
function createClientModule(count: number): string {
  const repeat = (line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n')
  return `
${repeat(index => `import { things${index} } from './things${index}.ts'`)}
import { createApi, openDatabase, pageNumber } from 'resource-api'
import { createClient } from 'resource-api/client'
import { authors } from './authors.ts'
const api = createApi({
  database: openDatabase('sqlite::memory:'),
  pagination: pageNumber({ pageSize: 20 }),
  resources: [authors, ${repeat(index => `things${index},`)}],
})
const client = createClient<typeof api>({ baseUrl: 'http://localhost/' })
${repeat(
  index => `
const { results: [first${index}] } = await client.things${index}.list({ kind: 'novel', ordering: '-title' })
const made${index} = await client.things${index}.create({ title: first${index}!.title, price: '1.00', isbn: '1', stock: 1, origin: 1 })
export const kind${index}: string = (await client.things${index}(made${index}.id).retrieve()).kind`,
)}
`
}

type Program = (count: number) => ReadonlyMap<string, string>

const createProgram =
  (declareAt: (index: number) => string): Program =>
  count =>
    new Map([
      ['authors.ts', authors],
      ...Array.from({ length: count }, (_, index) => [`things${index}.ts`, declareAt(index)] as const),
      ['client.ts', createClientModule(count)],
    ])

const programs = {
  'that refers to a common resource': createProgram(index => declare(index, 'authors', 'name')),
  'that refers to the one before it': createProgram(index =>
    index === 0 ? declare(index, 'authors', 'name') : declare(index, `things${index - 1}`, 'title'),
  ),
}

for (const [which, program] of Object.entries(programs)) {
  test(`each resource ${which} takes the compiler at most ${budget} instantiated types`, async context => {
    await checkBudget(program, [10, 50], context)
  })

  test(`each of 200 resources ${which} takes the compiler at most ${budget} instantiated types`, {
    skip: skipUnlessThorough,
  }, async context => {
    await checkBudget(program, [50, 200], context)
  })
}

async function checkBudget(
  program: Program,
  [some, all]: readonly [number, number],
  context: TestContext,
): Promise<void> {
  const [first, last] = [await measure(program(some), context), await measure(program(all), context)]
  const each = Math.round((last - first) / (all - some))
  context.diagnostic(`${each} instantiated types per resource, from ${some} to ${all} of them`)
  assert.ok(each > 0 && each <= budget, `${each} types per resource`)
}

/** Compiles an application, and returns the number of instantiated types. */
async function measure(files: ReadonlyMap<string, string>, context: TestContext): Promise<number> {
  const { compile } = await createProject(files, context)
  const output = await compile('--singleThreaded', '--extendedDiagnostics')
  assert.doesNotMatch(output, /error TS/)
  return Number(/^Instantiations:\s+(\d+)$/m.exec(output)?.[1])
}
