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
import {
  caller, count as plainCount, created, deleted, generated, now, owner, product, reference, table, tables, type TablesOf, updated, value,
  where as plainWhere,
} from 'resource-api/tables'

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
const comments = table('comments', {
  columns: { id: key(), article: reference('articles'), author: owner('users'), likes: integer(), note__de: text() },
})
const follows = table('follows', {
  key: ['follower', 'followed'],
  columns: {
    follower: reference('users', { relatedName: 'following' }), followed: reference('users', { relatedName: 'followers' }),
  },
})
const schema = tables({ owner: 'blog', tables: [users, articles, sections, comments, follows] })
interface Member extends Identity { readonly isAuthenticated: true; readonly id: number; readonly tenant: string }
const { count, exists, sum, latest, where, rowFilter } = forTypes<Member | Anonymous, typeof schema>()
const fields = articles.pick('title')
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
      state: 'draft' | 'live'; words: number; deleted_at: string | null
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

const conditions = `
export const conditions = typed.resource('articles', {
  table: articles,
  rows: {
    state: 'live', live: true, words__gt: 3, price__lt: '3.00', deleted_at: null, section__isnull: false, title__not__in: ['a'],
    'author.name__istartswith': 'a', 'section.top.author.name': 'ann', comments: { author: caller('id'), likes__in: [1, 2] },
    'comments.note__de__contains': 'x', not: { section: null }, or: [{ words__range: [1, 2] }, { title__in: ['Tea', 'Mate'] }],
  },
  fields: {
    ...fields,
    comments: count('comments'),
    mine: exists('comments', { 'author.followers': { follower: caller('id') } }),
    likes: sum(integer(), 'comments', product('likes', 'id'), { note__de: 'tea' }),
    last: latest(text(), 'comments', '-likes', 'note__de'),
    plain: plainCount('comments', { likes__gt: 3 }),
  },
  filters: {
    author: where({ 'author.name': value(text()) }),
    state: where({ state: value(text()) }),
    old: where({ or: [{ created_at__lt: now() }, { 'comments.likes__gte': 9 }] }),
    plain: plainWhere({ words__gte: value(integer()) }),
  },
  lists: { feed: { rows: { 'author.followers': { follower: caller('id') } } }, sql: { rows: ({ row }) => row.title } },
})
// A row filter is for all tables with these names.
export const ofOwn = [rowFilter({ 'article.author': caller('id') }), rowFilter({ author: caller('id') })]
// A resource without the types of tables takes any names.
export const loose = resource('a', { table: articles, fields, rows: { anything: 1 }, filters: { a: plainWhere({ anything: 1 }) } })
`

test('rows, keys, hooks, SQL and conditions of declared tables have types, also in a circle', async context => {
  const { compile } = await createProject(new Map([['blog.ts', program + right + conditions]]), context)
  assert.equal(await compile('--noEmit'), '')
})

const articleWith = (options: string) => `typed.resource('a', { table: articles, fields, ${options} })`

const mistakes = [
  ["count('commets')", /'"commets"' is not assignable to parameter of type '"article" \| "articles" \| .*"comments"/],
  ["exists('comments', { autor: 1 })", /"the table comments has no such column, relation or lookup": "autor"/],
  ["exists('comments', { 'article.autor.name': 'x' })", /"the table articles has no such column, .*": "autor"/],
  ["exists('comments', { 'article.section.top.titel': 'x' })", /"the table articles has no such column, .*": "titel"/],
  ["exists('comments', { likes: 'x' })", /Type 'string' is not assignable to type 'number'/],
  ["exists('comments', { likes__startswith: 'x' })", /"the table comments has no such .*": "likes__startswith"/],
  ["exists('comments', { likes__in: 4 })", /Type 'number' is not assignable to type 'readonly number\[\]'/],
  ["exists('comments', { likes__gt: null })", /Type 'null' is not assignable to type 'number'/],
  ["exists('comments', { likes__gt: now() })", /not assignable to type 'number'/],
  ["exists('comments', { author: caller('name') })", /'the caller has no such property': "name"/],
  ["exists('comments', { likes: caller('tenant') })", /not assignable to type 'number'/],
  ["sum(integer(), 'comments', 'like')", /'"like"' is not assignable/],
  ["sum(integer(), 'comments', product('likes', 'like'))", /Did you mean '"likes"'/],
  ["latest(text(), 'comments', '-like', 'note__de')", /'"-like"' is not assignable/],
  ["latest(text(), 'comments', '-likes', 'note')", /'"note"' is not assignable/],
  ['where({ titel: value(text()) })', /'no table has such a column, relation or lookup': "titel"/],
  ['where({ words: value(text()) })', /not assignable to type 'number'/],
  ['where({ created_at__year: 2026 })', /'no table has such a column, relation or lookup': "created_at__year"/],
  ["where({ or: [{ state: 'live' }, { sate: 'x' }] })", /'no table has such a column, relation or lookup': "sate"/],
  ["where({ not: { 'author.followers': { folower: 1 } } })", /"the table follows has no such .*": "folower"/],
  ["rowFilter({ 'article.autor': caller('id') })", /"the table articles has no such .*": "autor"/],
  [articleWith("rows: { state: 'lve' }"), /'"lve"' is not assignable .* Did you mean '"live"'/],
  [articleWith('rows: { likes: 3 }'), /"the table articles has no such column, relation or lookup": "likes"/],
  [articleWith('rows: { comments: { like: 3 } }'), /"the table comments has no such .*": "like"/],
  [articleWith("lists: { a: { rows: { sate: 'x' } } }"), /"the table articles has no such .*": "sate"/],
  [articleWith('filters: { a: where({ likes: 3 }) }'), /"the table articles has no such .*": "likes"/],
  [articleWith('filters: { a: where({ likse: 3 }) }'), /'no table has such .*': "likse"/],
  [articleWith("filters: { a: plainWhere({ sate: 'x' }) }"), /"the table articles has no such .*": "sate"/],
  [
    "typed.resource('a', { table: articles, fields: { n: count('followers') } })",
    /"the table articles has no such relation": "followers"/,
  ],
  [
    "typed.resource('a', { table: articles, fields: { n: plainCount('nothing') } })",
    /"the table articles has no such relation": "nothing"/,
  ],
  ["tables({ owner: 'x', tables: [comments, users] })", /comments refers to the table articles, which is neither in/],
  [
    "tables({ owner: 'x', tables: [table('t', { columns: { id: key(), o: owner('u') } })], uses: [schema] })",
    /t refers to the table u,/,
  ],
  ["table('t', { columns: { id: key() }, unique: [['nme']] })", /"nme"/],
  ["table('t', { columns: { id: key() }, indexes: [{ columns: ['nme'] }] })", /"nme"/],
  ["table('t', { columns: { id: key() }, indexes: [{ columns: ['id'], where: { nme: 1 } }] })", /'nme' does not exist/],
  ["table('t', { columns: { id: key() }, defaults: { nme: 1 } })", /'nme' does not exist/],
  ["table('t', { columns: { id: key() }, types: { nme: 'x' } })", /'nme' does not exist/],
  ["table('t', { columns: { id: key() }, key: ['id', 'nme'] })", /"nme"/],
  ["table('t', { columns: { id: key() }, checks: { a: ({ row }) => row.nme } })", /'nme' does not exist/],
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
  // No mistake has two errors.
  assert.equal(output.match(/^blog\.ts/gm)?.length, mistakes.length, output)
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

/** The most types that the compiler may instantiate for a table with a resource and its conditions, in a program of 60 tables. */
const conditionBudget = 9500

function createConditions(count: number): string {
  const indexes = Array.from({ length: count }, (_, index) => index)
  const declared = indexes.map(index => `const t${index} = table('t${index}', { columns: ${columns(index, count)} })`)
  const resources = indexes.map(
    index => `export const r${index} = resource('t${index}', {
      table: t${index},
      rows: { kind: 'novel', 'other.title': 'x', pages__gt: 3 },
      fields: { ...t${index}.pick('id', 'title'), n: count('t${(index + count - 1) % count}', { pages__gt: 3 }) },
      filters: { w: where({ 'other.title': value(text()) }) },
    })`,
  )
  return `
import { boolean, choice, decimal, forTypes, type Identity, integer, key, text } from 'resource-api'
import { created, reference, table, tables, value } from 'resource-api/tables'
${declared.join('\n')}
const schema = tables({ owner: 'x', tables: [${indexes.map(index => `t${index}`).join()}] })
const { resource, count, where } = forTypes<Identity, typeof schema>()
${resources.join('\n')}
`
}

test(`a table with conditions takes the compiler at most ${conditionBudget} instantiated types, among 60`, {
  skip: skipUnlessThorough,
}, async context => {
  const [few, many] = [await measure(createConditions(10), context), await measure(createConditions(60), context)]
  context.diagnostic(`${Math.round((many - few) / 50)} instantiated types per table`)
  assert.ok(many > few && (many - few) / 50 <= conditionBudget, `${(many - few) / 50} types per table`)
})
