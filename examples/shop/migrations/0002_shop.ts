import { step } from 'resource-api/migrations'

export default step({
  after: ['0001_types'],
  change: [
    { createTable: 'countries', columns: { code: 'text', name: 'text' }, key: ['code'] },
    {
      createTable: 'categories',
      columns: {
        id: 'key',
        slug: 'text',
        name: 'text',
        parent_id: { type: 'integer', nullable: true, references: { table: 'categories' } },
      },
      indexes: { categories_slug_unique: { columns: ['slug'], unique: true } },
    },
    {
      createTable: 'products',
      columns: {
        id: 'key',
        category_id: { type: 'integer', references: { table: 'categories' } },
        name: { sqlite: 'text collate nocase', postgres: 'citext' },
        description: 'text',
        price: 'decimal(10,2)',
        cost: { type: 'decimal(10,2)', nullable: true },
        changed: { type: 'dateTime', default: { now: true } },
      },
      indexes: { products_name_unique: { columns: ['name'], unique: true } },
    },
    {
      createTable: 'customers',
      columns: {
        id: 'uuid',
        user_id: { type: 'integer', references: { table: 'users' } },
        name: 'text',
        email: { sqlite: 'text collate nocase', postgres: 'citext' },
        country_code: { type: 'text', references: { table: 'countries', column: 'code' } },
      },
      indexes: { customers_email_unique: { columns: ['email'], unique: true } },
    },
    {
      createTable: 'orders',
      columns: {
        id: 'key',
        public_id: 'text',
        number: 'text',
        customer_id: { type: 'uuid', references: { table: 'customers' } },
        status: { sqlite: 'text', postgres: 'order_status' },
        note: 'text',
        due: { type: 'dateTime', nullable: true },
        created: { type: 'dateTime', default: { now: true } },
      },
      indexes: {
        orders_public_id_unique: { columns: ['public_id'], unique: true },
        orders_number_unique: { columns: ['number'], unique: true },
        orders_customer_id: { columns: ['customer_id'] },
        orders_created_id: { columns: ['created', 'id'] },
      },
    },
    {
      createTable: 'order_lines',
      columns: {
        id: 'key',
        order_id: { type: 'integer', references: { table: 'orders', onDelete: 'cascade' } },
        product_id: { type: 'integer', references: { table: 'products' } },
        quantity: 'integer',
        price: 'decimal(10,2)',
      },
      indexes: {
        order_lines_order_id_product_id_unique: { columns: ['order_id', 'product_id'], unique: true },
        order_lines_product_id: { columns: ['product_id'] },
      },
    },
    {
      createTable: 'attachments',
      columns: {
        id: 'key',
        order_id: { type: 'integer', references: { table: 'orders', onDelete: 'cascade' } },
        file: 'json',
      },
      indexes: { attachments_order_id: { columns: ['order_id'] } },
    },
    {
      createTable: 'deliveries',
      columns: {
        order_number: 'text',
        order_id: { type: 'integer', references: { table: 'orders', onDelete: 'cascade' } },
        street: 'text',
        city: 'text',
        country_code: { type: 'text', references: { table: 'countries', column: 'code' } },
      },
      key: ['order_number'],
      indexes: { deliveries_order_id_unique: { columns: ['order_id'], unique: true } },
    },
    {
      createTable: 'settings',
      columns: {
        user_id: { type: 'integer', references: { table: 'users', onDelete: 'cascade' } },
        customer_id: { type: 'uuid', nullable: true, references: { table: 'customers', onDelete: 'set null' } },
        newsletter: 'boolean',
      },
      key: ['user_id'],
    },
    {
      createTable: 'watchers',
      columns: {
        order_id: { type: 'integer', references: { table: 'orders', onDelete: 'cascade' } },
        user_id: { type: 'integer', references: { table: 'users', onDelete: 'cascade' } },
      },
      key: ['order_id', 'user_id'],
    },
    {
      createTable: 'events',
      columns: {
        id: 'key',
        order_id: { type: 'integer', references: { table: 'orders', onDelete: 'cascade' } },
        kind: 'text',
        time: { type: 'dateTime', default: { now: true } },
      },
      indexes: { events_order_id: { columns: ['order_id'] }, events_time_id: { columns: ['time', 'id'] } },
    },
  ],
})
