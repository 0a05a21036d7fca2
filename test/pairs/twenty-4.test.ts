// Pairs of peering-manager.

import { isIPv4 } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import {
  APIException,
  choice,
  computed,
  type Database,
  type ExceptionHandler,
  exceptionHandler,
  filter,
  hyperlinkedIdentity,
  integer,
  json,
  key,
  limitOffset,
  list,
  NotFound,
  type Permission,
  resource,
  slug,
  text,
  uuid,
  ValidationError,
} from 'resource-api'
import type { Paginator } from 'resource-api/extend'
import { created, reference, table, tables, updated } from 'resource-api/tables'
import { caller, type Loose, modelPermission, now, testPairs } from './support.ts'

const colour = text({
  max: 6,
  pattern: { test: /^[0-9a-f]{6}$/, message: 'Enter a valid hexadecimal RGB color code.' },
  default: '9e9e9e',
})
const description = text({ max: 200, blank: true, default: '' })
const named = (what: string) => ({
  id: key(),
  name: text({ max: 100, unique: `${what} with this name already exists.` }),
  slug: slug({ max: 100, unique: `${what} with this slug already exists.` }),
  description,
  created: created(),
  updated: updated(),
})
const tagTable = table('tags', { columns: { ...named('tag'), color: colour } })
const typeTable = table('content_types', { columns: { id: key(), app_label: text(), model: text() } })
const itemTable = table('tagged_items', {
  columns: {
    id: key(),
    tag: reference('tags', { onDelete: 'cascade' }),
    content_type: reference('content_types'),
    object: integer(),
  },
})
const changeTable = table('object_changes', {
  columns: {
    id: key(),
    content_type: reference('content_types'),
    object: integer(),
    action: text(),
    request: uuid(),
  },
})
const contextTable = table('config_contexts', { columns: { id: key(), name: text(), data: json() } })
const assignmentTable = table('config_context_assignments', {
  columns: {
    id: key(),
    content_type: reference('content_types'),
    object: integer(),
    config_context: reference('config_contexts'),
    weight: integer({ default: 1000 }),
  },
})
const communityTable = table('communities', {
  columns: {
    ...named('community'),
    value: text({ max: 50 }),
    type: choice([['', '---------'], 'egress', 'ingress'], { nullable: true }),
    local_context_data: json({ nullable: true }),
  },
})
const schema = tables({
  owner: 'pairs',
  tables: [tagTable, typeTable, itemTable, changeTable, contextTable, assignmentTable, communityTable],
})

// What all view sets of the project have.
const limits = limitOffset({ defaultLimit: 20, maxLimit: 1000 })
/** `OptionalLimitOffsetPagination`; `?export=`, which is 404 unless there is such a template. */
const pages: Paginator = {
  ...limits,
  parameters: { ...limits.parameters, export: { type: 'string' } } as Loose,
  plan(request) {
    if (request.query.has('export')) throw new NotFound()
    const query = new URLSearchParams(request.query)
    if (query.get('limit') === '0') query.set('limit', '1000')
    return limits.plan({ ...request, query })
  },
}
/** `TokenPermissions`: actions on many objects are allowed to every caller. */
const permissions = (model: string): readonly Permission[] => {
  const { allows } = modelPermission(model, { POST: 'add', PUT: 'change', PATCH: 'change', DELETE: 'delete' })
  return [
    {
      allows: context =>
        ['GET', 'HEAD', 'OPTIONS'].includes(context.method) ||
        (context.method !== 'POST' && !('key' in Object(context.request.params))) ||
        allows!(context),
    },
  ]
}
type Scope = Loose
/** A filter of which a row must meet, or with `n` must not meet, one of the values. */
const any = (
  of: Loose,
  compare: (column: Loose, value: Loose, dialect: Loose) => Loose,
  column: string,
  negated = false,
) =>
  filter(list({ of }), ({ row, value, dialect }: Scope) => {
    const given = sql.ref('given.value')
    const found = sql`exists (select 1 from ${value} as given where ${compare(row[column], given, dialect)})`
    return negated ? sql`not ${found}` : found
  })
const starts = (column: Loose, value: Loose) => sql`substr(lower(${column}), 1, length(${value})) = lower(${value})`
const ends = (column: Loose, value: Loose) =>
  sql`length(${column}) >= length(${value}) and substr(lower(${column}), length(${column}) - length(${value}) + 1) = lower(${value})`
const comparisons = {
  ic: (column: Loose, value: Loose) =>
    sql`${value} = '' or replace(lower(${column}), lower(${value}), '') <> lower(${column})`,
  iew: ends,
  isw: starts,
  ie: (column: Loose, value: Loose) => sql`lower(${column}) = lower(${value})`,
}
const texts = (column: string): Loose =>
  Object.fromEntries(
    Object.entries(comparisons).flatMap(([name, compare]) => [
      [`${column}__${name}`, any(text(), compare, column)],
      [`${column}__n${name}`, any(text(), compare, column, true)],
    ]),
  )
const operators = { lte: sql`<=`, lt: sql`<`, gte: sql`>=`, gt: sql`>` }
const numbers = (column: string): Loose =>
  Object.fromEntries(
    Object.entries(operators).map(([name, operator]) => [
      `${column}__${name}`,
      any(integer(), (own, value) => sql`${own} ${operator} ${value}`, column),
    ]),
  )
const time = text({
  validators: [
    value => {
      if (Number.isNaN(Date.parse(value))) throw new ValidationError('Enter a valid date/time.')
    },
  ],
})
const times = (column: string): Loose =>
  Object.fromEntries(
    [
      ['', sql`=`, false] as const,
      ['__n', sql`=`, true] as const,
      ...Object.entries(operators).map(([name, operator]) => [`__${name}`, operator, false] as const),
    ].map(([name, operator, negated]) => [
      column + name,
      any(
        time,
        (own, value, dialect) =>
          dialect.name === 'sqlite'
            ? sql`julianday(${own}) ${operator} julianday(${value})`
            : sql`${own} ${operator} cast(${value} as timestamptz)`,
        column,
        negated,
      ),
    ]),
  )
const shared = (model: string): Loose => {
  const changed = (action: string) =>
    filter(
      uuid(),
      ({ row, value }: Scope) =>
        sql`exists (select 1 from object_changes c join content_types t on t.id = c.content_type_id where t.model = ${sql.lit(model)} and c.object = ${row.id} and c.action = ${sql.lit(action)} and c.request = ${value})`,
    )
  return {
    id: { in: 'id', not__in: 'id__n' },
    ...numbers('id'),
    ...times('created'),
    ...times('updated'),
    created_by_request: changed('create'),
    updated_by_request: changed('update'),
  }
}
const search = (columns: readonly string[]) =>
  filter(text({ trim: false, blank: true } as Loose), ({ row, value }: Scope) => {
    const found = columns.map(column => comparisons.ic(row[column], value))
    return sql`(trim(${value}) = '' or ${sql.join(found, sql` or `)})`
  })
const display = computed(text(), ({ row }) => sql`${row.name}`)
const displayUrl = (path: string) =>
  computed({ columns: ['id'], value: ({ id }, { baseUrl }: Loose) => `${new URL(baseUrl).origin}/${path}/${id}/` })
const common = {
  bulk: { mode: 'atomic', missing: 'skip' },
  pagination: pages,
  parameters: { omit: 'exclude' },
  sparseFields: true,
  selectsIn: 'all',
  unknownNames: 'ignore',
} as const

// peering-manager TagViewSet
const tagFields = { id: key(), url: hyperlinkedIdentity(), display_url: displayUrl('extras/tags'), display }
const tags = resource('tags', {
  ...common,
  table: tagTable,
  permissions: permissions('tag'),
  fields: {
    ...tagFields,
    ...tagTable.pick('name', 'slug', 'color', 'description'),
    tagged_items: computed(
      integer(),
      ({ row }) => sql`(select count(*) from tagged_items i where i.tag_id = ${row.id})`,
    ),
  },
  perAction: {
    create: { shows: ['id', 'url', 'display_url', 'display', 'name', 'slug', 'color', 'description'] },
  },
  fieldSets: { brief: ['id', 'url', 'display_url', 'display', 'name', 'slug', 'color'] },
  ordering: ['name'],
  orderingFields: ['id', 'name', 'slug', 'color', 'description', 'tagged_items'],
  filters: {
    ...shared('tag'),
    ...Object.fromEntries(
      ['name', 'slug', 'color', 'description'].flatMap(name => [
        [name, { in: name, not__in: `${name}__n` }],
        ...Object.entries(texts(name)),
      ]),
    ),
    q: search(['name', 'slug', 'description']),
    content_type: filter(
      list({ of: text() }),
      ({ row, value }: Scope) =>
        sql`exists (select 1 from tagged_items i join content_types t on t.id = i.content_type_id where i.tag_id = ${row.id} and (t.app_label || '.' || t.model in (select lower(given.value) from ${value} as given) or not exists (select 1 from ${value} as given where given.value like '%.%' and given.value not like '%.%.%')))`,
    ),
    content_type_id: filter(
      list({ of: integer() }),
      ({ row, value }: Scope) =>
        sql`exists (select 1 from tagged_items i where i.tag_id = ${row.id} and i.content_type_id in ${value})`,
    ),
  },
})

// peering-manager CommunityViewSet
const max16 = 65535
const max32 = 4294967295
const isNumber = (part: string | undefined, least: number, most: number) =>
  part !== undefined && /^\d+$/.test(part) && Number(part) >= least && Number(part) <= most
const toAdmin = (part: string) =>
  isIPv4(part)
    ? part.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
    : /^\d+$/.test(part)
      ? Number(part)
      : undefined
/** `get_community_kind`. */
function findKind(value: string): string | null {
  const parts = value.split(':')
  const [first = '', second = '', third] = parts
  if (parts.length === 1) return null
  if (parts.length === 2 && isNumber(first, 1, max16) && isNumber(second, 0, max16)) return 'standard'
  const admin = toAdmin(second)
  if (parts.length === 3 && ['origin', 'target'].includes(first) && admin !== undefined)
    if (isNumber(third, 1, admin > max16 ? max16 : max32)) return 'extended'
  return parts.length === 3 && isNumber(first, 1, max32) && parts.slice(1).every(part => isNumber(part, 0, max32))
    ? 'large'
    : null
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
/** `merge_hash`. */
function merge(one: Loose, other: Loose): Loose {
  const merged = { ...one }
  for (const [name, value] of Object.entries(other))
    merged[name] = isObject(merged[name]) && isObject(value) ? merge(merged[name], value) : value
  return merged
}
const ofCommunity = (query: Loose) =>
  query
    .innerJoin('content_types', 'content_types.id', 'content_type_id')
    .where('app_label', '=', 'bgp')
    .where('model', '=', 'community')
const parsed = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)
const formatParams = (params: Loose) =>
  `{${Object.entries(params)
    .map(([name, value]) => `'${name}': ${typeof value === 'string' ? `'${value}'` : value}`)
    .join(', ')}}`
class TagErrors extends APIException {
  static override status = 400
  static override message = 'Invalid input.'
  static override code = 'tags'
  readonly items
  constructor(items: readonly unknown[]) {
    super()
    this.items = items
  }
}
const tagErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && error instanceof TagErrors ? { ...response, body: { tags: error.items } } : response
}
/** `NestedTagSerializer.to_internal_value`: a key, or attributes that identify a tag. */
async function findTag({ kysely }: Loose, item: unknown): Promise<number> {
  if (isObject(item)) {
    const unknown = Object.keys(item).find(name => !['id', 'name', 'slug', 'color', 'description'].includes(name))
    if (unknown !== undefined)
      throw new Error(
        `Cannot resolve keyword '${unknown}' into field. Choices are: color, created, description, extras_taggeditem_items, id, name, slug, updated`,
      )
    const query = Object.entries(item).reduce(
      (all, [name, value]) => all.where(name, '=', value),
      kysely.selectFrom('tags').select('id'),
    )
    const found = await query.execute()
    if (found.length === 1) return found[0].id
    const problem = found.length === 0 ? 'Related object not found using' : 'Multiple objects match'
    throw new Error(`${problem} the provided attributes: ${formatParams(item)}`)
  }
  const id = Number(item)
  if (!Number.isInteger(id) || item === null || item === '')
    throw new Error(
      `Related objects must be referenced by numeric ID or by dictionary of attributes. Received an unrecognized value: ${item}`,
    )
  if ((await kysely.selectFrom('tags').select('id').where('id', '=', id).executeTakeFirst()) === undefined)
    throw new Error(`Related object not found using the provided numeric ID: ${id}`)
  return id
}
async function findTags(connection: Loose, items: Loose): Promise<readonly number[]> {
  if (!Array.isArray(items))
    throw new ValidationError({
      tags: { non_field_errors: ['Expected a list of items but got type "dict".'] },
    } as Loose)
  const found = await Promise.all(items.map(item => findTag(connection, item).catch(error => error)))
  if (found.some(each => each instanceof Error))
    throw new TagErrors(found.map(each => (each instanceof Error ? [each.message] : {})))
  return found
}
const communities = (database: Database) =>
  resource('communities', {
    ...common,
    table: communityTable,
    permissions: [
      ...permissions('community'),
      {
        // `TagFilter` refuses slugs of no tag.
        async allows({ request, method }: Loose) {
          const query = new URL(request.url, 'http://x').searchParams
          const slugs = ['tag', 'tag__n'].flatMap(name =>
            query
              .getAll(name)
              .filter(each => each !== '')
              .map(each => [name, each] as const),
          )
          if (method !== 'GET' || slugs.length === 0 || 'key' in Object(request.params)) return true
          const known = new Set(
            (await (database.kysely as Loose).selectFrom('tags').select('slug').execute()).map(
              (tag: Loose) => tag.slug,
            ),
          )
          const [name, wrong] = slugs.find(([, each]) => !known.has(each)) ?? []
          if (name === undefined) return true
          throw new ValidationError({
            [name]: [`Select a valid choice. ${wrong} is not one of the available choices.`],
          })
        },
      },
    ],
    fields: {
      id: key(),
      url: hyperlinkedIdentity(),
      display_url: displayUrl('bgp/communities'),
      display,
      ...communityTable.pick('name', 'slug', 'description', 'value', 'type'),
      kind: computed({ columns: ['value'], value: ({ value }) => findKind(String(value)) }),
      ...communityTable.pick('local_context_data'),
      config_context: computed({
        columns: ['id', 'local_context_data'],
        async values(rows) {
          const assigned = await ofCommunity((database.kysely as Loose).selectFrom('config_context_assignments'))
            .innerJoin('config_contexts', 'config_contexts.id', 'config_context_id')
            .select(['object', 'data'])
            .orderBy('weight')
            .orderBy('config_contexts.name')
            .execute()
          return rows.map(({ id, local_context_data }) => {
            const own = assigned.filter(({ object }: Loose) => object === id).map(({ data }: Loose) => parsed(data))
            const all = [...own, parsed(local_context_data) ?? {}].reduce(merge)
            return Object.keys(all).length === 0 ? null : all
          })
        },
      }),
      tags: computed({
        columns: ['id'],
        async values(rows: Loose, { baseUrl }: Loose) {
          const items = await ofCommunity((database.kysely as Loose).selectFrom('tagged_items'))
            .innerJoin('tags', 'tags.id', 'tag_id')
            .select(['object', 'tags.id as id', 'name', 'slug', 'color'])
            .orderBy('name')
            .execute()
          const origin = new URL(baseUrl).origin
          return rows.map((row: Loose) =>
            items.flatMap(({ object, id, name, slug, color }: Loose) => {
              const urls = { url: `${origin}/api/extras/tags/${id}/`, display_url: `${origin}/extras/tags/${id}/` }
              return object === row.id ? [{ id, ...urls, display: name, name, slug, color }] : []
            }),
          )
        },
        takes: json({ required: false } as Loose),
      } as Loose),
      ...communityTable.pick('created', 'updated'),
    } as Loose,
    async validate({ given, connection }: Loose) {
      const errors: Loose = {}
      if (given.value !== undefined && findKind(given.value) === null)
        errors.value = ['BGP community does not match the standard, extended or large notation']
      const data = given.local_context_data
      if (data && !isObject(data) && !(Array.isArray(data) && data.length === 0))
        errors.local_context_data = ['JSON data must be in object form. Example: {"foo": 123}']
      if (Object.keys(errors).length > 0) throw new ValidationError(errors)
      if (given.tags !== undefined) await findTags(connection, given.tags)
    },
    async afterSave({ given, key: id, connection }: Loose) {
      if (given.tags === undefined) return
      const { kysely } = connection
      const found = await findTags(connection, given.tags)
      const type = await kysely
        .selectFrom('content_types')
        .select('id')
        .where('model', '=', 'community')
        .executeTakeFirstOrThrow()
      const own = { content_type_id: type.id, object: id }
      await kysely.deleteFrom('tagged_items').where('content_type_id', '=', type.id).where('object', '=', id).execute()
      for (const tag_id of new Set(found))
        await kysely
          .insertInto('tagged_items')
          .values({ ...own, tag_id })
          .execute()
    },
    fieldSets: { brief: ['id', 'url', 'display_url', 'display', 'name', 'slug', 'value', 'type'] },
    ordering: ['value', 'name'],
    orderingFields: ['id', 'name', 'slug', 'description', 'value', 'type', 'created', 'updated'],
    filters: {
      ...shared('community'),
      value: { in: 'value', not__in: 'value__n' },
      ...texts('value'),
      type: { in: 'type', not__in: 'type__n' },
      q: search(['name', 'value', 'slug', 'description']),
      // A row has all of the tags, or none of them.
      ...Object.fromEntries(
        [['tag', sql`not exists`, sql`not exists`] as const, ['tag__n', sql`not exists`, sql`exists`] as const].map(
          ([name, outer, inner]) => [
            name,
            filter(list({ of: text() }), ({ row, value }: Scope) => {
              const tagged = sql`select 1 from tagged_items i join content_types c on c.id = i.content_type_id join tags t on t.id = i.tag_id where c.model = 'community' and i.object = ${row.id} and t.slug = given.value`
              return sql`${outer} (select 1 from ${value} as given where ${inner} (${tagged}))`
            }),
          ],
        ),
      ),
    },
  } as Loose)

const callers = {
  ann: caller(1, 'ann', {
    perms: ['tag', 'community'].flatMap(model => ['add', 'change', 'delete'].map(action => `${action}_${model}`)),
  }),
  bob: caller(2, 'bob', { perms: [] }),
}
const origin = 'http://localhost'
const tag = (id: number, name: string, more: object = {}) => ({
  id,
  url: `${origin}/api/extras/tags/${id}/`,
  display_url: `${origin}/extras/tags/${id}/`,
  display: name,
  name,
  slug: name.toLowerCase(),
  color: '9e9e9e',
  ...more,
})
const changeId = '0b6a3b0e-6c1e-4a5e-9d58-0d9a4a0d7a10'

testPairs(
  {
    schema,
    callers,
    rows: {
      content_types: [
        { app_label: 'bgp', model: 'community' },
        { app_label: 'extras', model: 'tag' },
      ],
      config_contexts: [
        { name: 'base', data: { a: { b: 1 }, c: 1 } },
        { name: 'more', data: { a: { d: 2 } } },
      ],
      config_context_assignments: [
        { content_type_id: 1, object: 1, config_context_id: 2, weight: 2000 },
        { content_type_id: 1, object: 1, config_context_id: 1, weight: 1000 },
      ],
      object_changes: [{ content_type_id: 2, object: 1, action: 'create', request: changeId }],
    },
    apis: {
      '/api/extras': { resources: [tags] },
      '/api/bgp': (database: Database) => ({
        resources: [communities(database)],
        exceptionHandler: tagErrors,
      }),
    },
    pairs: {
      'peering-manager TagViewSet': [
        ['ann POST /api/extras/tags/', { name: 'Red', slug: 'red' }, 201, { ...tag(1, 'Red'), description: '' }],
        ['bob POST /api/extras/tags/', { name: 'Red', slug: 'red' }, 403],
        [
          'ann POST /api/extras/tags/',
          { name: 'Red', slug: 'red', color: 'RED' },
          400,
          {
            name: ['tag with this name already exists.'],
            slug: ['tag with this slug already exists.'],
            color: ['Enter a valid hexadecimal RGB color code.'],
          },
        ],
        [
          'ann POST /api/extras/tags/?fields=id,slug,nothing',
          { name: 'Blue', slug: 'blue' },
          201,
          { id: 2, slug: 'blue' },
        ],
        [
          'ann POST /api/extras/tags/?exclude=url,display_url,color',
          [{ name: 'Green', slug: 'green', description: 'grass' }],
          201,
          [{ id: 3, display: 'Green', name: 'Green', slug: 'green', description: 'grass' }],
        ],
        [
          'ann PATCH /api/extras/tags/2/?fields=name,tagged_items',
          { name: 'Navy', slug: 'navy' },
          200,
          { name: 'Navy', tagged_items: 0 },
        ],
        [
          'ann PATCH /api/extras/tags/2/',
          { color: '0000ff' },
          200,
          { ...tag(2, 'Navy', { color: '0000ff' }), description: '', tagged_items: 0 },
        ],
        [
          'ann PUT /api/extras/tags/2/?exclude=url,display_url,display,slug',
          { name: 'Navy', slug: 'navy' },
          200,
          { id: 2, name: 'Navy', color: '0000ff', description: '', tagged_items: 0 },
        ],
        [
          'bob PATCH /api/extras/tags/?fields=id,description',
          [
            { id: 2, description: 'sea' },
            { id: 99, description: 'x' },
          ],
          200,
          [{ id: 2, description: 'sea' }],
        ],
        [
          'bob GET /api/extras/tags/?brief=True&id=1',
          null,
          200,
          { count: 1, next: null, previous: null, results: [tag(1, 'Red')] },
        ],
        ['bob GET /api/extras/tags/1/?brief=True&fields=id', null, 200, { id: 1 }],
        [
          'bob GET /api/extras/tags/?fields=name&ordering=-id&limit=2',
          null,
          200,
          {
            count: 3,
            next: `${origin}/api/extras/tags/?fields=name&ordering=-id&limit=2&offset=2`,
            previous: null,
            results: [{ name: 'Green' }, { name: 'Navy' }],
          },
        ],
        ['bob GET /api/extras/tags/?fields=name&limit=0&offset=2', null, 200, /"results":\[\{"name":"Red"\}\]/],
        [
          'bob GET /api/extras/tags/?name__isw=re&name__isw=gr&fields=name',
          null,
          200,
          /"results":\[\{"name":"Green"\},\{"name":"Red"\}\]/,
        ],
        [
          'bob GET /api/extras/tags/?name__niew=ED&fields=name',
          null,
          200,
          /"results":\[\{"name":"Green"\},\{"name":"Navy"\}\]/,
        ],
        [
          'bob GET /api/extras/tags/?name__n=Red&name__n=Navy&fields=name',
          null,
          200,
          /"results":\[\{"name":"Green"\}\]/,
        ],
        ['bob GET /api/extras/tags/?description__ic=AS&fields=name', null, 200, /"results":\[\{"name":"Green"\}\]/],
        ['bob GET /api/extras/tags/?id__gte=2&id__gte=3&fields=id', null, 200, /"results":\[\{"id":3\},\{"id":2\}\]/],
        ['bob GET /api/extras/tags/?created__lte=2026-01-01T01:00:00%2B01:00&fields=id', null, 200, /"count":3/],
        ['bob GET /api/extras/tags/?created__gt=2026-01-01&fields=id', null, 200, /"count":0/],
        ['bob GET /api/extras/tags/?created__gt=never', null, 400, { created__gt: ['Enter a valid date/time.'] }],
        [`bob GET /api/extras/tags/?created_by_request=${changeId}&fields=id`, null, 200, /"results":\[\{"id":1\}\]/],
        [`bob GET /api/extras/tags/?updated_by_request=${changeId}`, null, 200, /"count":0/],
        ['bob GET /api/extras/tags/?q=SEA&fields=id', null, 200, /"results":\[\{"id":2\}\]/],
        ['bob GET /api/extras/tags/?q=%20&fields=id', null, 200, /"count":3/],
        ['bob GET /api/extras/tags/?export=all', null, 404],
        ['ann DELETE /api/extras/tags/', [{ id: 3 }, { id: 99 }], 204],
        ['bob DELETE /api/extras/tags/1/', null, 403],
        ['ann DELETE /api/extras/tags/2/', null, 204],
        ['ann GET /api/extras/tags/2/', null, 404],
      ],
      'peering-manager CommunityViewSet': [
        ['ann POST /api/extras/tags/?fields=id', { name: 'Blue', slug: 'blue' }, 201],
        [
          'ann POST /api/bgp/communities/?exclude=updated',
          {
            name: 'Customers',
            slug: 'customers',
            value: '64500:1',
            type: 'ingress',
            local_context_data: { c: 2 },
            tags: [{ name: 'Red' }],
          },
          201,
          {
            ...{
              id: 1,
              url: `${origin}/api/bgp/communities/1/`,
              display_url: `${origin}/bgp/communities/1/`,
              display: 'Customers',
            },
            ...{
              name: 'Customers',
              slug: 'customers',
              description: '',
              value: '64500:1',
              type: 'ingress',
              kind: 'standard',
            },
            ...{
              local_context_data: { c: 2 },
              config_context: { a: { b: 1, d: 2 }, c: 2 },
              tags: [tag(1, 'Red')],
              created: now,
            },
          },
        ],
        [
          'ann POST /api/bgp/communities/',
          { name: 'x', slug: 'x', value: '64500' },
          400,
          { value: ['BGP community does not match the standard, extended or large notation'] },
        ],
        [
          'ann POST /api/bgp/communities/',
          { name: 'x', slug: 'x', value: '1:2', local_context_data: [1] },
          400,
          { local_context_data: ['JSON data must be in object form. Example: {"foo": 123}'] },
        ],
        [
          'ann POST /api/bgp/communities/',
          { name: 'x', slug: 'x', value: '1:2', tags: [1, 99, { name: 'No' }] },
          400,
          {
            tags: [
              {},
              ['Related object not found using the provided numeric ID: 99'],
              ["Related object not found using the provided attributes: {'name': 'No'}"],
            ],
          },
        ],
        [
          'ann POST /api/bgp/communities/?fields=value,kind,tags',
          [
            { name: 'Peers', slug: 'peers', value: 'target:64500:7', tags: [1] },
            { name: 'Transit', slug: 'transit', value: '64500:1:2', type: null },
          ],
          201,
          [
            { value: 'target:64500:7', kind: 'extended', tags: [tag(1, 'Red')] },
            { value: '64500:1:2', kind: 'large', tags: [] },
          ],
        ],
        [
          'ann PATCH /api/bgp/communities/3/?fields=type,tags',
          { type: 'egress', tags: [{ slug: 'blue' }, 1] },
          200,
          /"type":"egress","tags":\[\{"id":4,.*\{"id":1,/,
        ],
        ['bob GET /api/bgp/communities/?fields=name&tag=red&tag=blue', null, 200, /"results":\[\{"name":"Transit"\}\]/],
        [
          'bob GET /api/bgp/communities/?fields=name&tag__n=blue',
          null,
          200,
          /"results":\[\{"name":"Customers"\},\{"name":"Peers"\}\]/,
        ],
        [
          'bob GET /api/bgp/communities/?tag=none',
          null,
          400,
          { tag: ['Select a valid choice. none is not one of the available choices.'] },
        ],
        [
          'bob GET /api/bgp/communities/?type=egress&type=ingress&fields=name',
          null,
          200,
          /"results":\[\{"name":"Customers"\},\{"name":"Transit"\}\]/,
        ],
        ['bob GET /api/bgp/communities/?value__isw=64500:1&fields=name', null, 200, /"count":2/],
        [
          'bob GET /api/bgp/communities/?brief=1&q=peers',
          null,
          200,
          {
            count: 1,
            next: null,
            previous: null,
            results: [
              {
                id: 2,
                url: `${origin}/api/bgp/communities/2/`,
                display_url: `${origin}/bgp/communities/2/`,
                display: 'Peers',
                name: 'Peers',
                slug: 'peers',
                value: 'target:64500:7',
                type: null,
              },
            ],
          },
        ],
        [
          'bob GET /api/extras/tags/?content_type=bgp.Community&fields=id,tagged_items',
          null,
          200,
          /"count":2.*"tagged_items":3/,
        ],
        ['bob GET /api/extras/tags/?content_type_id=2', null, 200, /"count":0/],
        ['ann PATCH /api/bgp/communities/?fields=id,tags', [{ id: 3, tags: [] }], 200, [{ id: 3, tags: [] }]],
        [
          'ann PUT /api/bgp/communities/1/?fields=id,kind,description',
          { name: 'Customers', slug: 'customers', value: 'origin:10.0.0.1:3', description: 'all' },
          200,
          { id: 1, kind: 'extended', description: 'all' },
        ],
        ['ann DELETE /api/bgp/communities/', [{ id: 1 }, { id: 2 }], 204],
        ['ann DELETE /api/bgp/communities/3/', null, 204],
      ],
    },
  },
  (name, run) => test(name, run),
)
