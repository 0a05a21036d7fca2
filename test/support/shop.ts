// A profile of the tests, declared as an application would do it: settings, tables, data, administration, pages, metrics.

import { dateTime, integer, key, readOnly, related, resource, text, via } from 'resource-api'
import { findAccountId } from 'resource-api/accounts'
import { fixture, type Profile, profile } from 'resource-api/service'
import * as z from 'zod'

const shopSettings = z.object({
  currency: z.string().length(3, 'must have three letters').default('EUR'),
  maxPrice: z.coerce.number('must be a number').min(1, 'must be 1 or more').default(1000),
  apiKey: z.string().min(8, 'must have 8 characters or more').default('shop-key'),
})

export type ShopOptions = z.input<typeof shopSettings>

/** What the profile did, in order. */
export const shopEvents: string[] = []

const suppliers = resource('suppliers', {
  table: 'shop_suppliers',
  fields: { id: key(), name: text({ max: 50, unique: 'This name is taken.' }) },
})

const tags = resource('tags', {
  table: 'shop_tags',
  ordering: ['name'],
  fields: { id: key(), name: text({ max: 20, unique: 'This tag exists.' }) },
})

const createProducts = (maxPrice: number) =>
  resource('products', {
    table: 'shop_products',
    ordering: ['code'],
    fields: {
      id: key(),
      code: text({ max: 20, unique: 'This code is taken.' }),
      price: integer({ min: 0, max: maxPrice, default: 1 }),
      supplier: related(suppliers, { nullable: true }),
      tags: related(tags, { many: { table: 'shop_product_tags', own: 'product_id', other: 'tag_id' }, default: [] }),
      editor: text({ source: via('editor_id', 'users', 'username') }),
      created: readOnly(dateTime()),
    },
    hookColumns: ['editor_id', 'created'],
    prepare: ({ action, user, now }) => (action === 'create' ? { editor_id: findAccountId(user), created: now } : {}),
  })

export const shop = (options: ShopOptions = {}): Profile =>
  profile('shop', {
    description: 'Products & their suppliers.',
    settings: { schema: shopSettings, values: options, variables: { SHOP_CURRENCY: 'currency', SHOP_MAX: 'maxPrice' } },
    migrations: {
      async '0001_shop'(kysely, { key, reference, text, dateTime }) {
        for (const table of ['shop_suppliers', 'shop_tags'])
          await kysely.schema
            .createTable(table)
            .addColumn('id', key)
            .addColumn('name', text, column => column.notNull().unique())
            .execute()
        await kysely.schema
          .createTable('shop_products')
          .addColumn('id', key)
          .addColumn('code', text, column => column.notNull().unique())
          .addColumn('price', 'integer', column => column.notNull())
          .addColumn('supplier_id', reference, column => column.references('shop_suppliers.id'))
          .addColumn('editor_id', reference, column => column.notNull().references('users.id'))
          .addColumn('created', dateTime, column => column.notNull())
          .execute()
        await kysely.schema
          .createTable('shop_product_tags')
          .addColumn('product_id', reference, column => column.notNull().references('shop_products.id'))
          .addColumn('tag_id', reference, column => column.notNull().references('shop_tags.id'))
          .execute()
      },
    },
    resources: [suppliers, tags],
    fixtures: { suppliers, tags },
    pages: { 'suppliers-list': ({ renderDefault }) => renderDefault('<p>Our suppliers</p>') },
    demo: { data: { suppliers: [{ name: 'Acme' }] }, settings: { currency: 'CHF' } },
    deploymentProblems: ({ apiKey }) => (apiKey === 'shop-key' ? ['apiKey: is the default: set another one'] : []),
    open({ settings: { currency, maxPrice }, database, accounts }) {
      shopEvents.push(`open ${currency} ${maxPrice}`)
      const products = createProducts(maxPrice)
      return {
        resources: [products],
        admin: { products: { searchFields: ['code'] } },
        fixtures: { products: fixture(products, { columns: (_row, { now }) => ({ created: now }) }) },
        views: {
          '/currency/': {
            name: 'Currency',
            handlers: { GET: ({ user }) => ({ status: 200, body: { currency, account: findAccountId(user) } }) },
          },
        },
        metrics: registry =>
          void registry.gauge({ name: 'shop_max_price', help: 'The maximum price', collect: () => maxPrice }),
        async close() {
          // The database and the accounts are still open.
          const users = await database.kysely.selectFrom('users').selectAll().execute()
          shopEvents.push(`close with ${users.length} users, ${await accounts.users.find('nobody')}`)
        },
      }
    },
  })
