// The work of the compiler per resource. The number of instantiated types is the same on every machine, unlike the time.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const repository = fileURLToPath(new URL('../..', import.meta.url))

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
  filters: ['kind', 'pages'],
  orderingFields: ['title', 'created'],
  searchFields: ['title'],
  hookColumns: ['owner_id'],
  prepare: (_, { user }) => ({ owner_id: user.id }),
  validate: ({ pages, price }) => {
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
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-types-'))
  context.after(() => rm(folder, { recursive: true, force: true }))
  await mkdir(join(folder, 'node_modules'))
  await symlink(repository, join(folder, 'node_modules/resource-api'))
  await symlink(join(repository, 'node_modules/@types'), join(folder, 'node_modules/@types'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(repository, 'tsconfig.json'), include: ['*.ts'] }),
  )
  for (let index = 0; index < count; index++) await writeFile(join(folder, `things${index}.ts`), createModule(index))
  const compiler = join(repository, 'node_modules/typescript/bin/tsc')
  const { stdout } = await promisify(execFile)(process.execPath, [
    compiler,
    '-p',
    folder,
    '--singleThreaded',
    '--extendedDiagnostics',
  ])
  return Number(/^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1])
}
