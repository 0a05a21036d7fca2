// Pairs of wger and DefectDojo.

import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  authenticated,
  boolean,
  file,
  folder,
  forTypes,
  type Identity,
  integer,
  key,
  multipartParser,
  number,
  PermissionDenied,
  pageNumber,
  text,
  time,
  uuid,
  uuidKey,
  ValidationError,
  view,
} from 'resource-api'
import { caller as callerValue, reference, table, tables } from 'resource-api/tables'
import { caller, type Loose, testPairs } from './support.ts'

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
const schema = tables({
  owner: 'pairs',
  tables: [planTable, mealTable, itemTable, productTable, memberTable, endpointTable],
})
const { resource, rowFilter } = forTypes<Identity, typeof schema>()

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

const form = (fields: Readonly<Record<string, string>>, csv: string) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  data.set('file', new File([csv], 'meta.csv', { type: 'text/csv' }))
  return data
}
const [plan, other, own] = [1, 2, 3].map(digit => `0198e1b0-0000-7000-8000-00000000000${digit}`)
testPairs(
  {
    schema,
    callers: { ann: caller(1, 'ann'), bob: caller(2, 'bob') },
    rows: {
      plans: [
        { id: plan, user: 1 },
        { id: other, user: 2 },
      ],
      products: [{ name: 'P' }],
      product_members: [{ product_id: 1, user: 1, role: 'writer' }],
    },
    apis: { '/wger': { resources: [meals] }, '/dojo': { views: { '/endpoint_meta_import/': importMeta } } },
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
          { non_field_errors: ['Need product_id or product_name to perform import'] },
        ],
        [
          'ann POST /dojo/endpoint_meta_import/',
          form({ product: '7' }, 'hostname\nx\n'),
          400,
          { non_field_errors: ['Product "7" does not exist'] },
        ],
        ['bob POST /dojo/endpoint_meta_import/', form({ product: '1' }, 'hostname\nx\n'), 403],
        ['ann POST /dojo/endpoint_meta_import/', { product: 1 }, 415],
      ],
    },
  },
  (name, run) => test(name, run),
)
