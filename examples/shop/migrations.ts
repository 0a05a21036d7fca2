import { sql } from 'kysely'
import { createFullTextIndex, type Migrations } from 'resource-api'

/**
 * The tables that existed before the API, with `citext` and an enum on PostgreSQL, and the nearest types on SQLite. The other
 * steps add what the API needs.
 */
export const migrations: Migrations = {
  async '0001_shop'(kysely, { key, reference, uuid, text, decimal, dateTime }, { name }) {
    const { schema } = kysely
    const isPostgres = name === 'postgres'
    const [caseless, status] = isPostgres
      ? [sql`citext`, sql`order_status`]
      : [sql`text collate nocase`, sql`text check (status in ('open', 'shipped'))`]
    if (isPostgres) {
      await sql`create extension if not exists citext`.execute(kysely)
      await schema.createType('order_status').asEnum(['open', 'shipped']).execute()
    }
    await schema
      .createTable('countries')
      .addColumn('code', text, column => column.primaryKey().notNull())
      .addColumn('name', text, column => column.notNull())
      .execute()
    await schema
      .createTable('categories')
      .addColumn('id', key)
      .addColumn('slug', text, column => column.notNull().unique())
      .addColumn('name', text, column => column.notNull())
      .addColumn('parent_id', reference, column => column.references('categories.id'))
      .execute()
    await schema
      .createTable('products')
      .addColumn('id', key)
      .addColumn('category_id', reference, column => column.notNull().references('categories.id'))
      .addColumn('name', caseless, column => column.notNull().unique())
      .addColumn('price', decimal(10, 2), column => column.notNull())
      .addColumn('cost', decimal(10, 2))
      .execute()
    await schema
      .createTable('customers')
      .addColumn('id', uuid, column => column.primaryKey().notNull())
      .addColumn('user_id', reference, column => column.notNull().references('users.id'))
      .addColumn('name', text, column => column.notNull())
      .addColumn('email', caseless, column => column.notNull().unique())
      .addColumn('country_code', text, column => column.notNull().references('countries.code'))
      .execute()
    await schema
      .createTable('orders')
      .addColumn('id', key)
      .addColumn('public_id', text, column => column.notNull().unique())
      .addColumn('number', text, column => column.notNull().unique())
      .addColumn('customer_id', uuid, column => column.notNull().references('customers.id'))
      .addColumn('status', status, column => column.notNull())
      .addColumn('note', text, column => column.notNull())
      .addColumn('due', dateTime)
      .addColumn('created', dateTime, column => column.notNull())
      .execute()
    await schema
      .createTable('order_lines')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('product_id', reference, column => column.notNull().references('products.id'))
      .addColumn('quantity', 'integer', column => column.notNull())
      .addColumn('price', decimal(10, 2), column => column.notNull())
      .addUniqueConstraint('order_lines_order_product', ['order_id', 'product_id'])
      .execute()
    await schema
      .createTable('watchers')
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('user_id', reference, column => column.notNull().references('users.id').onDelete('cascade'))
      .addPrimaryKeyConstraint('watchers_key', ['order_id', 'user_id'])
      .execute()
    await schema
      .createTable('events')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('kind', text, column => column.notNull())
      .addColumn('time', dateTime, column => column.notNull())
      .execute()
    await schema.createIndex('orders_customer').on('orders').column('customer_id').execute()
    await schema.createIndex('events_order').on('events').column('order_id').execute()
  },
  async '0002_product_words'(kysely, { text }, dialect) {
    await kysely.schema
      .alterTable('products')
      .addColumn('description', text, column => column.notNull().defaultTo(''))
      .execute()
    await createFullTextIndex(kysely, dialect, { table: 'products', columns: ['name', 'description'] })
  },
  // `resource-api check` names the indexes that lists want. These are on the tables that grow.
  async '0003_indexes'({ schema }) {
    await schema.createIndex('orders_created').on('orders').columns(['created', 'id']).execute()
    await schema.createIndex('events_time').on('events').columns(['time', 'id']).execute()
    await schema.createIndex('order_lines_product').on('order_lines').column('product_id').execute()
  },
  async '0004_changed_products'({ schema }, { dateTime }) {
    await schema.alterTable('products').addColumn('changed', dateTime).execute()
  },
  async '0005_deliveries_and_settings'({ schema }, { reference, text, uuid, boolean }) {
    await schema
      .createTable('deliveries')
      .addColumn('order_number', text, column => column.primaryKey().notNull())
      .addColumn('order_id', reference, column => column.notNull().unique().references('orders.id').onDelete('cascade'))
      .addColumn('street', text, column => column.notNull())
      .addColumn('city', text, column => column.notNull())
      .addColumn('country_code', text, column => column.notNull().references('countries.code'))
      .execute()
    await schema
      .createTable('settings')
      .addColumn('user_id', reference, column => column.primaryKey().references('users.id').onDelete('cascade'))
      .addColumn('customer_id', uuid, column => column.references('customers.id').onDelete('set null'))
      .addColumn('newsletter', boolean, column => column.notNull())
      .execute()
  },
  async '0006_attachments'({ schema }, { key, reference, json }) {
    await schema
      .createTable('attachments')
      .addColumn('id', key)
      .addColumn('order_id', reference, column => column.notNull().references('orders.id').onDelete('cascade'))
      .addColumn('file', json, column => column.notNull())
      .execute()
    await schema.createIndex('attachments_order').on('attachments').column('order_id').execute()
  },
}
