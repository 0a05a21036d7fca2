// Pairs of wger, DefectDojo and Tandoor.

import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  authenticated,
  boolean,
  choice,
  type ExceptionHandler,
  exceptionHandler,
  file,
  folder,
  forTypes,
  type Identity,
  integer,
  key,
  limitOffset,
  multipartParser,
  NotFound,
  nested,
  number,
  objectView,
  ParseError,
  PermissionDenied,
  pageNumber,
  related,
  text,
  time,
  uuid,
  uuidKey,
  ValidationError,
  view,
  writeOnly,
} from 'resource-api'
import { createPageLink, parseCount } from 'resource-api/extend'
import { caller as callerValue, reference, table, tables } from 'resource-api/tables'
import { caller, type Loose, modelPermission, now, testPairs } from './support.ts'

const planTable = table('plans', { key: uuidKey(), columns: { id: key(), user: integer() } })
const mealTable = table('meals', {
  key: uuidKey({ given: true }),
  columns: {
    id: key(),
    plan: reference('plans'),
    order: integer({ default: 1 }),
    time: time({ nullable: true }),
    name: text({ max: 25, blank: true, default: '' }),
  },
})
const itemTable = table('meal_items', {
  columns: {
    id: key(),
    meal: reference('meals'),
    amount: number(),
    energy: number(),
    protein: number(),
    carbohydrates: number(),
    carbohydrates_sugar: number({ nullable: true }),
    fat: number(),
    fat_saturated: number({ nullable: true }),
    fiber: number({ nullable: true }),
    sodium: number({ nullable: true }),
  },
})
const productTable = table('products', { columns: { id: key(), name: text() } })
const memberTable = table('product_members', {
  columns: { id: key(), product: reference('products'), user: integer(), role: text() },
})
const endpointTable = table('endpoints', {
  columns: { id: key(), product: reference('products'), host: text(), tag: text({ nullable: true }) },
})
const optional = () => text({ nullable: true, blank: true })
const marketTable = table('supermarkets', { columns: { id: key(), name: text(), space: integer() } })
const categoryTable = table('supermarket_categories', {
  columns: {
    id: key(),
    name: text({ max: 128 }),
    description: optional(),
    open_data_slug: text({ max: 128, nullable: true, blank: true }),
    space: integer(),
  },
  unique: [
    ['space', 'name'],
    ['space', 'open_data_slug'],
  ],
})
const placeTable = table('supermarket_places', {
  columns: {
    id: key(),
    supermarket: reference('supermarkets', { onDelete: 'cascade' }),
    category: reference('supermarket_categories', { onDelete: 'cascade' }),
    order: integer({ default: 0 }),
  },
  unique: [['supermarket', 'category']],
})
const toolTypeTable = table('tool_types', {
  columns: { id: key(), name: text({ max: 200 }), description: text({ max: 2000, nullable: true, blank: true }) },
})
const short = (max: number) => text({ max, nullable: true, blank: true })
const toolTable = table('tool_configurations', {
  columns: {
    id: key(),
    name: text({ max: 200 }),
    description: short(2000),
    url: short(2000),
    tool_type: reference('tool_types', { onDelete: 'cascade' }),
    authentication_type: choice(
      [
        ['', '---------'],
        ['API', 'API Key'],
        ['Password', 'Username/Password'],
        ['SSH', 'SSH'],
      ],
      { nullable: true },
    ),
    extras: short(255),
    username: short(200),
    password: short(900),
    auth_title: short(200),
    ssh: short(9000),
    api_key: short(900),
  },
})
const settingTable = table('tool_product_settings', {
  columns: {
    id: key(),
    name: text(),
    product: reference('products'),
    tool_configuration: reference('tool_configurations', { onDelete: 'cascade' }),
  },
})
const historyTable = table('tool_product_history', {
  columns: { id: key(), product: reference('tool_product_settings', { onDelete: 'cascade' }), succesfull: boolean() },
})
const schema = tables({
  owner: 'pairs',
  tables: [
    ...[planTable, mealTable, itemTable, productTable, memberTable, endpointTable],
    ...[marketTable, categoryTable, placeTable, toolTypeTable, toolTable, settingTable, historyTable],
  ],
})
type Cook = Identity & { readonly space: number; readonly seesTypes: boolean }
const { resource, rowFilter } = forTypes<Cook, typeof schema>()

// wger MealViewSet
const nutrients = [
  'energy',
  'protein',
  'carbohydrates',
  'carbohydrates_sugar',
  'fat',
  'fat_saturated',
  'fiber',
  'sodium',
] as const
const meals = resource('meal', {
  table: mealTable,
  permissions: [authenticated, rowFilter({ 'plan.user': callerValue('id') })],
  fields: {
    ...mealTable.pick('id'),
    plan: uuid({ column: 'plan_id' }),
    ...mealTable.pick('order', 'time', 'name'),
  },
  perAction: { create: { takes: ['id', 'plan', 'time', 'name'] }, update: { takes: ['id', 'plan', 'time', 'name'] } },
  async validate({ given, user, connection: { kysely } }) {
    if (given.plan === undefined) return
    const plan = await kysely.selectFrom('plans').select('user').where('id', '=', given.plan).executeTakeFirst()
    if (plan?.user !== user.id) throw new PermissionDenied('You are not allowed to do this')
  },
  ordering: ['time'],
  orderingFields: ['id', 'plan', 'order', 'time', 'name'],
  filters: { order: true, plan: true, time: true },
  pagination: pageNumber({ pageSize: 20 }),
  objectViews: ({ objectView }) => ({
    nutritional_values: objectView({
      handlers: {
        async GET({ key: meal, database: { kysely } }) {
          const items = await kysely.selectFrom('meal_items').selectAll().where('meal_id', '=', meal).execute()
          const sum = (name: (typeof nutrients)[number]) =>
            items.reduce((total, item) => total + ((item[name] ?? 0) * item.amount) / 100, 0)
          return { status: 200, body: Object.fromEntries(nutrients.map(name => [name, sum(name)])) }
        },
      },
    }),
  }),
})

// DefectDojo ToolConfigurationsViewSet
const toolTypes = resource('tool_types', {
  table: toolTypeTable,
  actions: ['retrieve'],
  permissions: [rowFilter({ or: [callerValue('seesTypes')] })],
  fields: toolTypeTable.pick('id', 'name', 'description'),
})
/** `NestedObjects`: the row, and those that its deletion deletes. */
const cascades: Loose = {
  tool_configurations: {
    model: 'Tool_Configuration',
    name: (row: Loose) => row.name,
    children: { tool_product_settings: 'tool_configuration_id' },
  },
  tool_product_settings: { model: 'Tool_Product_Settings', children: { tool_product_history: 'product_id' } },
  tool_product_history: { model: 'Tool_Product_History', children: {} },
}
async function listDeleted(kysely: Loose, from: string, column: string, value: unknown): Promise<readonly object[]> {
  const { model, name = (row: Loose) => `${model} object (${row.id})`, children } = cascades[from]
  const rows = await kysely.selectFrom(from).selectAll().where(column, '=', value).orderBy('id').execute()
  const found: object[] = []
  for (const row of rows) {
    found.push({ model, id: row.id, name: name(row) })
    for (const [child, reference] of Object.entries(children))
      found.push(...(await listDeleted(kysely, child, reference as string, row.id)))
  }
  return found
}
const methods = { GET: 'view', POST: 'add', PUT: 'change', PATCH: 'change', DELETE: 'delete' }
const tools = resource('tool_configurations', {
  table: toolTable,
  permissions: [modelPermission('tool_configuration', methods)],
  fields: {
    ...toolTable.pick('id', 'name', 'description', 'url', 'authentication_type', 'extras', 'username', 'auth_title'),
    tool_type: related(toolTypes, { column: 'tool_type_id', ignoreRowFilter: true }),
    password: writeOnly(short(900)),
    ssh: writeOnly(short(9000)),
    api_key: writeOnly(short(900)),
  },
  filters: { id: true, name: true, tool_type: true, url: true, authentication_type: true },
  expandableFields: ['tool_type'],
  parameters: { expand: 'prefetch' },
  unknownNames: 'ignore',
  envelope: { expanded: { name: 'prefetch', objects: true, always: true } },
  pagination: limitOffset({ defaultLimit: 25 }),
  headers: { 'x-deprecated': 'True', 'x-end-of-life-date': '2026-11-01T00:00:00' },
  objectViews: ({ objectView }) => ({
    delete_preview: objectView({
      handlers: {
        async GET({ key: tool, database, request, baseUrl }) {
          const deleted = await listDeleted(database.kysely, 'tool_configurations', 'id', tool)
          const [path, search] = request.url.split('?', 2)
          const query = new URLSearchParams(search)
          const [limit, offset] = [parseCount(query.get('limit')) || 25, parseCount(query.get('offset')) || 0]
          const link = (to: number) =>
            createPageLink({ url: new URL(baseUrl).origin + path, query } as never, {
              limit: `${limit}`,
              offset: `${to}`,
            })
          const body = {
            count: deleted.length,
            next: offset + limit < deleted.length ? link(offset + limit) : null,
            previous: offset > 0 ? link(Math.max(offset - limit, 0)) : null,
            results: deleted.slice(offset, offset + limit),
          }
          return { status: 200, body }
        },
      },
    }),
  }),
})
/** `str()` of the details of an exception. */
const formatPython = (detail: Loose): string =>
  Array.isArray(detail)
    ? `[${detail.map(formatPython).join(', ')}]`
    : typeof detail.message === 'string' && typeof detail.code === 'string'
      ? `ErrorDetail(string='${detail.message}', code='${detail.code}')`
      : `{${Object.entries(detail)
          .map(([name, each]) => `'${name}': ${formatPython(each)}`)
          .join(', ')}}`
const pro = ['Pro comes with support. Try today for free or email us at hello@defectdojo.com']
const dojoErrors: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  if (response === undefined)
    return { status: 500, body: { message: 'Internal server error, check logs for details', pro } }
  if (error instanceof ParseError) return { ...response, body: { message: 'JSON request content is malformed' } }
  if (!(error instanceof ValidationError)) return response
  return { ...response, body: { ...(response.body as object), message: formatPython(error.errors), pro } }
}

// DefectDojo EndpointMetaImporterView
const store = folder(join(tmpdir(), `pairs-${process.pid}`))
/** In a form, an absent value is the default: here, a boolean usually is a checkbox, which is then false. */
const flag = () => ({ ...boolean({ default: true }), kind: { ...boolean().kind, isCheckbox: false } })
const importMeta = view({
  name: 'Endpoint meta import',
  permissions: [authenticated],
  parsers: [multipartParser()],
  body: {
    file: file({ store, maxSize: 1_000_000 }),
    create_endpoints: flag(),
    create_tags: flag(),
    create_dojo_meta: boolean({ default: false }),
    product_name: text({ nullable: true }),
    product: integer({ nullable: true }),
  },
  handlers: {
    async POST({ body, user, database }: Loose) {
      const { file: meta, product_name, product: id, ...options } = body
      const products = database.kysely.selectFrom('products').select(['id', 'name'])
      if (product_name === null && id === null)
        throw new ValidationError('Need product_id or product_name to perform import')
      const product = await (id === null
        ? products.where('name', '=', product_name)
        : products.where('id', '=', id)
      ).executeTakeFirst()
      if (product === undefined) throw new ValidationError(`Product "${id ?? product_name}" does not exist`)
      const role = await database.kysely
        .selectFrom('product_members')
        .select('role')
        .where('product_id', '=', product.id)
        .where('user', '=', user.id)
        .executeTakeFirst()
      if (role?.role !== 'writer') throw new PermissionDenied()
      let csv = ''
      for await (const chunk of await store.read(meta.key)) csv += chunk
      await store.remove(meta.key)
      const [head = '', ...lines] = csv.trim().split('\n')
      const host = head.split(',').indexOf('hostname')
      if (host < 0) throw new ValidationError('The column "hostname" must be present to map host to Endpoint.')
      await database.transaction(async ({ kysely }: Loose) => {
        for (const cells of lines.map(line => line.split(',')))
          if (options.create_endpoints)
            await kysely
              .insertInto('endpoints')
              .values({ product_id: product.id, host: cells[host], tag: options.create_tags ? cells[1 - host] : null })
              .execute()
      })
      return { status: 201, body: { ...options, product_name, product: product.id, product_id: product.id } }
    },
  },
})

// Tandoor SupermarketCategoryRelationViewSet
const ofSpace = rowFilter({ space: callerValue('space') })
const markets = resource('supermarket', {
  table: marketTable,
  actions: [],
  permissions: [ofSpace],
  fields: marketTable.pick('id', 'name'),
})
const categories = resource('supermarket-category', {
  table: categoryTable,
  actions: ['retrieve', 'create', 'update'],
  permissions: [authenticated, ofSpace],
  fields: categoryTable.pick('id', 'name', 'description', 'open_data_slug'),
  hookColumns: ['space'],
  prepare: ({ user }) => ({ space: user.space }),
  normalize: values => (values.open_data_slug === '' ? { ...values, open_data_slug: null } : values),
})
/** `WritableNestedModelSerializer`: a key that exists is changed. Otherwise `get_or_create(name__iexact=…)`. */
async function nestCategory({ category, ...values }: Loose, { database, user, method }: Loose) {
  if (method === 'PUT' && (category ?? values.supermarket) === undefined)
    throw new ValidationError({ category: 'This field is required.', supermarket: 'This field is required.' })
  if (typeof category !== 'object' || category === null)
    return category === undefined ? values : { ...values, category }
  if (method !== 'PATCH' && category.name === undefined)
    throw new ValidationError({ category: { name: ['This field is required.'] } } as Loose)
  const { id, ...others } = category
  const found = await database.kysely
    .selectFrom('supermarket_categories')
    .select(['id', 'name'])
    .where('space', '=', user.space)
    .execute()
  if (found.some((each: Loose) => each.id === id)) return { ...values, category }
  const same = found.find(({ name }: Loose) => name.toLowerCase() === String(others.name).trim().toLowerCase())
  return { ...values, category: same === undefined ? others : { id: same.id } }
}
const placeOptions = {
  table: placeTable,
  permissions: [authenticated, rowFilter({ 'supermarket.space': callerValue('space') })],
  fields: {
    ...placeTable.pick('id'),
    category: nested({ of: categories, column: 'category_id', writable: ['select', 'add', 'change'] }),
    supermarket: related(markets, { column: 'supermarket_id' }),
    ...placeTable.pick('order'),
  },
}
const written = resource('written-relation', {
  ...placeOptions,
  actions: ['retrieve', 'create', 'update'],
} as Loose) as Loose
const places = resource('supermarket-category-relation', {
  ...placeOptions,
  actions: ['retrieve', 'destroy'],
  listMethods: {
    handlers: {
      async GET({ database, user, request, baseUrl, represent }: Loose) {
        const [path, search = ''] = request.url.split('?', 2)
        const query = new URLSearchParams(search)
        let found = await database.kysely
          .selectFrom('supermarket_places as p')
          .innerJoin('supermarkets as s', 's.id', 'p.supermarket_id')
          .select('p.id')
          .where('s.space', '=', user.space)
          .orderBy('p.order')
          .orderBy('p.id')
          .execute()
        if (query.has('limit') && query.get('random')) found = found.toSorted(() => Math.random() - 0.5)
        if (query.has('limit')) found = found.slice(0, Number(query.get('limit')))
        const size = Math.min(parseCount(query.get('page_size')) || 50, 200)
        const page = parseCount(query.get('page') ?? '1')
        const pages = Math.max(Math.ceil(found.length / size), 1)
        if (!page || page > pages) throw new NotFound('Invalid page.')
        const url = new URL(baseUrl).origin + path
        const link = (to: number) =>
          to < 1 || to > pages ? null : createPageLink({ url, query } as never, { page: String(to) })
        const shown = found.slice((page - 1) * size, page * size).map(({ id }: Loose) => represent(id))
        const links = { next: link(page + 1), previous: link(page - 1) }
        return {
          status: 200,
          body: { count: found.length, ...links, timestamp: now, results: await Promise.all(shown) },
        }
      },
      async POST(context: Loose) {
        const { key: own } = await written.create(await nestCategory(context.requestBody.data, context), context)
        return { status: 201, body: await context.represent(own) }
      },
    },
  },
  objectMethods: objectView({
    handlers: Object.fromEntries(
      ['PUT', 'PATCH'].map(method => [
        method,
        async (context: Loose) => {
          await written.update(context.key, await nestCategory(context.requestBody.data, context), context)
          return { status: 200, body: await context.represent() }
        },
      ]),
    ),
  }) as never,
} as Loose) as Loose

const form = (fields: Readonly<Record<string, string>>, csv: string) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.set('file', new File([csv], 'meta.csv', { type: 'text/csv' }))
  return data
}
const [plan, other, own] = [1, 2, 3].map(digit => `0198e1b0-0000-7000-8000-00000000000${digit}`)
const relations = '/tandoor/supermarket-category-relation/'
const sonar = { id: 1, name: 'Sonar', description: null }
const dairy = { id: 1, name: 'Dairy', description: null, open_data_slug: null }
const toolPerms = ['view', 'add', 'change', 'delete'].map(each => `${each}_tool_configuration`)
const toolUrl = '/dojo/tool_configurations/'
const unset = {
  description: null,
  url: null,
  authentication_type: null,
  extras: null,
  username: null,
  auth_title: null,
}
const tool = { id: 2, name: 'T', ...unset, tool_type: 1 }
const isDeprecated = ({ headers }: { readonly headers: Headers }) =>
  assert.deepEqual([headers.get('x-deprecated'), headers.get('x-end-of-life-date')], ['True', '2026-11-01T00:00:00'])
testPairs(
  {
    schema,
    callers: {
      ann: caller(1, 'ann', { space: 1 }),
      bob: caller(2, 'bob', { space: 2 }),
      sue: caller(3, 'sue', { seesTypes: true, perms: toolPerms }),
      tom: caller(4, 'tom', { seesTypes: false, perms: toolPerms.slice(0, 2) }),
    },
    rows: {
      plans: [
        { id: plan, user: 1 },
        { id: other, user: 2 },
      ],
      supermarkets: [
        { name: 'M', space: 1 },
        { name: 'N', space: 2 },
      ],
      supermarket_categories: [
        { name: 'Dairy', space: 1 },
        { name: 'Fish', space: 2 },
      ],
      products: [{ name: 'P' }],
      tool_types: [{ name: 'Sonar', description: null }],
      tool_configurations: [{ name: 'U', tool_type_id: 1 }],
      tool_product_settings: [{ name: 'S', product_id: 1, tool_configuration_id: 1 }],
      tool_product_history: [{ product_id: 1, succesfull: true }],
      product_members: [{ product_id: 1, user: 1, role: 'writer' }],
    },
    apis: {
      '/wger': { resources: [meals] },
      '/dojo': {
        resources: [tools, toolTypes],
        views: { '/endpoint_meta_import/': importMeta },
        exceptionHandler: dojoErrors,
      },
      '/tandoor': { resources: [places, written, categories, markets] },
    },
    pairs: {
      'wger MealViewSet': [
        [
          'ann POST /wger/meal/',
          { id: own, plan, time: '12:00', name: 'Lunch', order: 7 },
          201,
          { id: own, plan, order: 1, time: '12:00:00', name: 'Lunch' },
        ],
        ['ann POST /wger/meal/', { id: own, plan }, 400, { id: ['This field must be unique.'] }],
        ['ann POST /wger/meal/', { plan: other }, 403, { detail: 'You are not allowed to do this' }],
        ['ann POST /wger/meal/', { plan: own }, 403, { detail: 'You are not allowed to do this' }],
        ['ann POST /wger/meal/', {}, 400, { plan: ['This field is required.'] }],
        [`ann GET /wger/meal/?plan=${plan}&ordering=-name`, null, 200, /"count":1/],
        [
          `ann GET /wger/meal/${own}/nutritional_values/`,
          null,
          200,
          {
            energy: 0,
            protein: 0,
            carbohydrates: 0,
            carbohydrates_sugar: 0,
            fat: 0,
            fat_saturated: 0,
            fiber: 0,
            sodium: 0,
          },
        ],
        [`bob GET /wger/meal/${own}/`, null, 404],
        [`ann DELETE /wger/meal/${own}/`, null, 204],
      ],
      'Tandoor SupermarketCategoryRelationViewSet': [
        [
          `ann POST ${relations}`,
          { category: { name: ' dairy ', description: 'x' }, supermarket: 1 },
          201,
          { id: 1, category: dairy, supermarket: 1, order: 0 },
        ],
        [
          `ann POST ${relations}`,
          { category: { id: 99, name: 'Bread', open_data_slug: '' }, supermarket: 1, order: 2 },
          201,
          { id: 2, category: { ...dairy, id: 3, name: 'Bread' }, supermarket: 1, order: 2 },
        ],
        [
          `ann PATCH ${relations}1/`,
          { category: { id: 1, name: 'Milk', description: 'cold' }, order: 5 },
          200,
          { id: 1, category: { ...dairy, name: 'Milk', description: 'cold' }, supermarket: 1, order: 5 },
        ],
        [
          `ann PUT ${relations}1/`,
          { category: { id: 1, name: 'Cheese' }, supermarket: 1 },
          200,
          /"name":"Cheese","description":"cold"/,
        ],
        [
          `ann PUT ${relations}1/`,
          { category: { id: 1 }, supermarket: 1 },
          400,
          { category: { name: ['This field is required.'] } },
        ],
        [`ann PATCH ${relations}1/`, { category: { id: 2, name: 'Fish' } }, 200, /"category":\{"id":4,"name":"Fish"/],
        [
          `ann POST ${relations}`,
          { category: { name: '' }, supermarket: 1 },
          400,
          { category: { name: ['This field may not be blank.'] } },
        ],
        [`ann POST ${relations}`, { category: { name: 'Fish' } }, 400, { supermarket: ['This field is required.'] }],
        [
          `ann POST ${relations}`,
          { category: { name: 'Fish' }, supermarket: 2 },
          400,
          { supermarket: ['Invalid pk "2" - object does not exist.'] },
        ],
        [`ann POST ${relations}`, { category: { name: 'bread' }, supermarket: 1 }, 400, /non_field_errors/],
        [
          `ann GET ${relations}`,
          null,
          200,
          /^\{"count":2,"next":null,"previous":null,"timestamp":"2026.*"results":\[\{"id":2,.*"id":1,/,
        ],
        [`ann GET ${relations}?limit=1&random=1`, null, 200, /^\{"count":1,/],
        [
          `ann GET ${relations}?page_size=1&page=2`,
          null,
          200,
          /"next":null,"previous":"http[^"]*\?page_size=1&page=1"/,
        ],
        [`ann GET ${relations}?page=9`, null, 404, { detail: 'Invalid page.' }],
        [`bob GET ${relations}1/`, null, 404],
        [`bob GET ${relations}`, null, 200, /"count":0/],
        [`ann DELETE ${relations}1/`, null, 204],
        [`- GET ${relations}`, null, 401],
      ],
      'DefectDojo ToolConfigurationsViewSet': [
        [`sue POST ${toolUrl}`, { name: 'T', tool_type: 1, password: 'secret', prefetch: 'x' }, 201, tool],
        [`sue GET ${toolUrl}2/`, null, 200, { ...tool, prefetch: {} }],
        [`sue GET ${toolUrl}2/?prefetch=tool_type,name`, null, 200, { ...tool, prefetch: { tool_type: { 1: sonar } } }],
        [
          `sue GET ${toolUrl}?prefetch=tool_type&name=T&tool_type=1`,
          null,
          200,
          { count: 1, next: null, previous: null, results: [tool], prefetch: { tool_type: { 1: sonar } } },
        ],
        [
          `sue GET ${toolUrl}?name=T`,
          null,
          200,
          { count: 1, next: null, previous: null, results: [tool], prefetch: {} },
        ],
        [
          `sue GET ${toolUrl}?name=X&limit=5`,
          null,
          200,
          { count: 0, next: null, previous: null, results: [], prefetch: {} },
        ],
        [`tom GET ${toolUrl}2/?prefetch=tool_type`, null, 200, { ...tool, prefetch: { tool_type: {} } }],
        [
          `sue PATCH ${toolUrl}2/?prefetch=tool_type`,
          { authentication_type: 'API', description: '' },
          200,
          { ...tool, authentication_type: 'API', description: '' },
        ],
        [
          `sue POST ${toolUrl}`,
          { tool_type: 1 },
          400,
          {
            name: ['This field is required.'],
            message: "{'name': [ErrorDetail(string='This field is required.', code='required')]}",
            pro,
          },
        ],
        [`sue PATCH ${toolUrl}2/`, { authentication_type: 'x' }, 400, /"x\\" is not a valid choice/],
        [`tom PATCH ${toolUrl}2/`, {}, 403, isDeprecated],
        [`ann GET ${toolUrl}`, null, 403, { detail: 'You do not have permission to perform this action.' }],
        [
          `sue GET ${toolUrl}2/delete_preview/`,
          null,
          200,
          { count: 1, next: null, previous: null, results: [{ model: 'Tool_Configuration', id: 2, name: 'T' }] },
        ],
        [`sue GET ${toolUrl}2/`, null, 200, isDeprecated],
        [`sue DELETE ${toolUrl}2/`, null, 204, isDeprecated],
        [`sue GET ${toolUrl}2/`, null, 404, isDeprecated],
        [
          `sue GET ${toolUrl}1/delete_preview/?limit=2`,
          null,
          200,
          /^\{"count":3,"next":"http.*limit=2&offset=2","previous":null,"results":\[\{"model":"Tool_Configuration","id":1,"name":"U"\},\{"model":"Tool_Product_Settings","id":1,"name":"Tool_Product_Settings object \(1\)"\}\]/,
        ],
      ],
      'DefectDojo EndpointMetaImporterView': [
        [
          'ann POST /dojo/endpoint_meta_import/',
          form({ product_name: 'P', create_tags: 'false' }, 'hostname,team\nexample.org,a\n'),
          201,
          {
            create_endpoints: true,
            create_tags: false,
            create_dojo_meta: false,
            product_name: 'P',
            product: 1,
            product_id: 1,
          },
        ],
        [
          'ann POST /dojo/endpoint_meta_import/',
          form({}, 'hostname\nx\n'),
          400,
          /"non_field_errors":\["Need product_id or product_name to perform import"\]/,
        ],
        [
          'ann POST /dojo/endpoint_meta_import/',
          form({ product: '7' }, 'hostname\nx\n'),
          400,
          /"non_field_errors":\["Product \\"7\\" does not exist"\]/,
        ],
        ['bob POST /dojo/endpoint_meta_import/', form({ product: '1' }, 'hostname\nx\n'), 403],
        ['ann POST /dojo/endpoint_meta_import/', { product: 1 }, 415],
      ],
    },
  },
  (name, run) => test(name, run),
)
