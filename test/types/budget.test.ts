// The work of the compiler per resource. The number of instantiated types is the same on every machine, unlike the time.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { repetitions, skipUnlessThorough } from '../support/repetitions.ts'
import { createProject } from './project.ts'

/** The most types that the compiler may instantiate for a resource and its five derived types. */
const budget = 4000
const resources = repetitions({ usual: 12, thorough: 40 })

const declare = (index: number) => `
import {
  boolean, choice, type CreateBody, dateTime, decimal, integer, key, type PatchBody, type Query, readOnly,
  type Representation, resource, text, type UpdateBody,
} from 'resource-api'
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
  },
  perAction: { list: { shows: ['id', 'title'] } },
  filters: { kind: true, pages: true },
  orderingFields: ['title', 'created'],
  searchFields: ['title'],
  hookColumns: ['owner_id'],
  prepare: ({ user }) => ({ owner_id: user.id }),
  validate: ({ values: { pages, price } }) => {
    if (pages > Number(price)) throw new Error('too many pages')
  },
})
`

/** The types that a program derives from a resource. */
const derive = (index: number) => `
type Things = typeof things${index}
export const show = (thing: Representation<Things>): string => thing.title + thing.kind + (thing.subtitle ?? '')
export const created: CreateBody<Things> = { title: 'a', price: '1.00', isbn: '1', stock: 1 }
export const replaced: UpdateBody<Things> = created
export const changed: PatchBody<Things> = { subtitle: null }
export const query: Query<Things> = { kind: 'novel', ordering: '-title' }
`

/** A program with a client of a profile with these resources. */
function createClientModule(count: number): string {
  const repeat = (line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('\n')
  return `
${repeat(index => `import { things${index} } from './things${index}.ts'`)}
import { createClient } from 'resource-api/client'
import { profile } from 'resource-api/service'
const shop = profile('shop', { resources: [${repeat(index => `things${index},`)}] })
const client = createClient<typeof shop>({ baseUrl: 'http://localhost/' })
${repeat(
  index => `
const [first${index}] = await client.things${index}.list({ kind: 'novel', ordering: '-title' })
const made${index} = await client.things${index}.create({ title: first${index}!.title, price: '1.00', isbn: '1', stock: 1 })
export const kind${index}: string = (await client.things${index}(made${index}.id).retrieve()).kind`,
)}
`
}

interface Work {
  readonly instantiations: number
  /** In seconds. */
  readonly time: number
}

type Program = (count: number) => ReadonlyMap<string, string>

const createDeclarations = (count: number, more: (index: number) => string): [name: string, code: string][] =>
  Array.from({ length: count }, (_, index) => [`things${index}.ts`, declare(index) + more(index)])

const derived: Program = count => new Map(createDeclarations(count, derive))

const withClient: Program = count =>
  new Map([...createDeclarations(count, () => ''), ['client.ts', createClientModule(count)]])

for (const [name, program] of [
  ['each resource, with the five types that follow from it', derived],
  ['each resource, with a client that lists, creates and retrieves', withClient],
] as const)
  test(`${name}, takes the compiler at most ${budget} instantiated types`, async context => {
    const [one, all] = [await measure(program(1), context), await measure(program(resources), context)]
    const each = Math.round((all.instantiations - one.instantiations) / (resources - 1))
    context.diagnostic(`${each} instantiated types per resource, ${one.instantiations} for the first`)
    assert.ok(each > 0 && each <= budget, `${each} types per resource`)
  })

test(`each of 200 resources takes the compiler at most ${budget} instantiated types, with a client`, {
  skip: skipUnlessThorough,
}, async context => {
  const [some, all] = [await measure(withClient(resources), context), await measure(withClient(200), context)]
  const each = Math.round((all.instantiations - some.instantiations) / (200 - resources))
  context.diagnostic(`${each} instantiated types per further resource, ${all.time.toFixed(1)} s for all`)
  assert.ok(each > 0 && each <= budget, `${each} types per resource`)
})

/** Compiles an application. */
async function measure(files: ReadonlyMap<string, string>, context: TestContext): Promise<Work> {
  const { compile } = await createProject(files, context)
  const output = await compile('--singleThreaded', '--extendedDiagnostics')
  assert.doesNotMatch(output, /error TS/)
  const read = (name: string) => Number(new RegExp(`^${name}:\\s+([\\d.]+)s?$`, 'm').exec(output)?.[1])
  return { instantiations: read('Instantiations'), time: read('Total time') }
}
