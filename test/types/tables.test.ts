// What the compiler knows about declared tables, and how much work that is.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { skipUnlessThorough } from '../support/repetitions.ts'
import { createProject } from './project.ts'

const program = `
import { sql } from 'kysely'
import {
  type Anonymous, boolean, choice, decimal, forTypes, type Identity, integer, key, ownerOrReadOnly, resource, text, uuidKey,
} from 'resource-api'
import { created, deleted, generated, owner, reference, table, tables, type TablesOf, updated } from 'resource-api/tables'

const users = table('users', { columns: { id: key(), name: text() } })
const articles = table('articles', {
  columns: {
    id: key(),
    title: text({ max: 255 }),
    price: decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true }),
    live: boolean({ default: false }),
    state: choice(['draft', 'live'], { default: 'draft' }),
    author: owner('users'),
    section: reference('sections', { nullable: true }),
    words: generated(integer(), ({ row }) => sql\`length(\${row.title})\`),
    created_at: created(),
    updated_at: updated(),
    deleted_at: deleted(),
  },
})
const sections = table('sections', { key: uuidKey(), columns: { id: key(), top: reference('articles', { column: 'first' }) } })
const schema = tables({ owner: 'blog', tables: [users, articles, sections] })
interface Member extends Identity { readonly isAuthenticated: true; readonly id: number }
const typed = forTypes<Member | Anonymous, typeof schema>()
type Row = TablesOf<typeof schema>['articles']
`

const right = `
export const published = typed.resource('articles', {
  table: articles,
  fields: { ...articles.pick('title', 'words'), loud: typed.computed(text(), ({ row }) => sql\`upper(\${row.section_id})\`) },
  ordering: ['-created_at', 'state'],
  permissions: [ownerOrReadOnly('author_id')],
  async afterSave({ connection: { kysely } }) {
    const row = await kysely.selectFrom('articles').selectAll().executeTakeFirstOrThrow()
    const values: {
      id: number; author_id: number; section_id: string | null; title: string; price: string | null; live: boolean | number
      state: 'draft' | 'live'; words: number; deleted_at: string | Date | null
    } = row
    const top: number = (await kysely.selectFrom('sections').selectAll().executeTakeFirstOrThrow()).first
    const inserted = { title: 'b', live: true, state: 'draft', author_id: 1 } as const
    await kysely.insertInto('articles').values(inserted).execute()
    console.log(values, top)
  },
})
export const all = typed.resource('sections', {
  table: sections,
  fields: sections.pick('id'),
  afterSave: ({ key }) => console.log(key.toUpperCase()),
})
`

test('rows, keys, hooks and SQL of declared tables have types, also in a circle', async context => {
  const { compile } = await createProject(new Map([['blog.ts', program + right]]), context)
  assert.equal(await compile('--noEmit'), '')
})

const mistakes = [
  ["const r: Row['words']['__insert__'] = 2", /not assignable to type 'undefined'|'never'/],
  ["articles.pick('titel')", /'"titel"' is not assignable/],
  // A reference has no field.
  ["articles.pick('author')", /'"author"' is not assignable/],
  ["table('t', { columns: { id: key() }, indexes: [['nme']] })", /"nme"/],
  [
    "typed.resource('a', { table: articles, fields: articles.pick('title'), permissions: [ownerOrReadOnly('ownr_id')] })",
    /ownr_id/,
  ],
  [
    `typed.resource('a', { table: articles, fields: { n: typed.computed(text(), ({ row }) => sql\`\${row.nothing}\`) } })`,
    /'nothing' does not exist/,
  ],
] as const

test('the compiler refuses wrong names and values, each at its line', async context => {
  const text = `${program}\n${mistakes.map(([code]) => code).join('\n')}\n`
  const { compile } = await createProject(new Map([['blog.ts', text]]), context)
  const output = await compile('--noEmit')
  const first = program.split('\n').length + 1
  for (const [index, [code, message]] of mistakes.entries()) {
    const line = new RegExp(`^blog\\.ts\\(${first + index},\\d+\\): error (?:.*\\n(?:  .*\\n)*)`, 'm').exec(output)?.[0]
    assert.match(line ?? '', message, `${code}\n${output}`)
  }
})

/** The most types that the compiler may instantiate for a table of ten columns, its rows included, besides its field functions. */
const budget = 400

const columns = (index: number, count: number) => `{
  id: key(), title: text({ max: 200 }), subtitle: text({ nullable: true }), pages: integer({ min: 1, default: 100 }),
  price: decimal({ maxDigits: 6, decimalPlaces: 2 }), kind: choice(['novel', 'essay'], { default: 'novel' }),
  sold: boolean({ default: false }), isbn: text({ unique: 'x' }), other: reference('t${(index + 1) % count}'), created_at: created(),
}`
const names = ['id', 'title', 'subtitle', 'pages', 'price', 'kind', 'sold', 'isbn', 'other_id', 'created_at']

function createTables(count: number, isTable: boolean): string {
  const indexes = Array.from({ length: count }, (_, index) => index)
  const declared = indexes.map(index =>
    isTable
      ? `const t${index} = table('t${index}', { columns: ${columns(index, count)} })`
      : `const t${index} = ${columns(index, count)}`,
  )
  const rows = `
const schema = tables({ owner: 'x', tables: [${indexes.map(index => `t${index}`).join()}] })
type All = TablesOf<typeof schema>
export const list = (x: All) => [${indexes.flatMap(index => names.map(name => `x.t${index}.${name}`)).join()}]`
  return `
import { boolean, choice, decimal, integer, key, text } from 'resource-api'
import { created, reference, table, tables, type TablesOf } from 'resource-api/tables'
${declared.join('\n')}
${isTable ? rows : ''}
`
}

async function measure(text: string, context: TestContext): Promise<number> {
  const { compile } = await createProject(new Map([['tables.ts', text]]), context)
  const output = await compile('--singleThreaded', '--extendedDiagnostics')
  assert.doesNotMatch(output, /error TS/)
  return Number(/^Instantiations:\s+(\d+)$/m.exec(output)?.[1])
}

test(`a table of ten columns takes the compiler at most ${budget} instantiated types besides its fields`, {
  skip: skipUnlessThorough,
}, async context => {
  const perTable = async (isTable: boolean) => {
    const [few, many] = [
      await measure(createTables(10, isTable), context),
      await measure(createTables(60, isTable), context),
    ]
    return (many - few) / 50
  }
  const [whole, fields] = [await perTable(true), await perTable(false)]
  context.diagnostic(
    `${Math.round(whole - fields)} instantiated types per table, and ${Math.round(fields)} for its fields`,
  )
  assert.ok(whole > fields && whole - fields <= budget, `${whole - fields} types per table`)
})
