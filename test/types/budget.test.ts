// The work of the compiler per resource. The number of instantiated types is the same on every machine, unlike the time.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createProject } from './project.ts'

/** The most types that the compiler may instantiate for a resource and its five derived types. */
const budget = 4000
const resources = 40

const createModule = (index: number) => `
import {
  boolean, choice, type CreateBody, dateTime, decimal, integer, key, type PatchBody, type Query, readOnly,
  type Representation, resource, text, type UpdateBody,
} from 'resource-api'
export const things = resource('things${index}', {
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
export const show = (thing: Representation<typeof things>): string => thing.title + thing.kind + (thing.subtitle ?? '')
export const created: CreateBody<typeof things> = { title: 'a', price: '1.00', isbn: '1', stock: 1 }
export const replaced: UpdateBody<typeof things> = created
export const changed: PatchBody<typeof things> = { subtitle: null }
export const query: Query<typeof things> = { kind: 'novel', ordering: '-title' }
`

test(`each resource takes the compiler at most ${budget} instantiated types`, async context => {
  const [one = 0, all = 0] = await Promise.all([
    countInstantiations(1, context),
    countInstantiations(resources, context),
  ])
  const each = Math.round((all - one) / (resources - 1))
  context.diagnostic(`${each} instantiated types per resource, ${one} for the first`)
  assert.ok(each > 0 && each <= budget, `${each} types per resource`)
})

/** Compiles an application with this number of resources. */
async function countInstantiations(count: number, context: TestContext): Promise<number> {
  const files = Array.from({ length: count }, (_, index) => [`things${index}.ts`, createModule(index)] as const)
  const { compile } = await createProject(new Map(files), context)
  const output = await compile('--singleThreaded', '--extendedDiagnostics')
  assert.doesNotMatch(output, /error TS/)
  return Number(/^Instantiations:\s+(\d+)$/m.exec(output)?.[1])
}
