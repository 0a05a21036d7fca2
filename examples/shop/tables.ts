// The tables of the shop, and the functions that declare resources of these tables.

import {
  boolean,
  choice,
  dateTime,
  decimal,
  email,
  file,
  folder,
  forTypes,
  type Identity,
  integer,
  key,
  publicId,
  slug,
  text,
  textKey,
  uuidKey,
} from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { created, owner, reference, table, tables, updated } from 'resource-api/tables'

/** Letters differ only in case: the values are equal. */
const caseless = { sqlite: 'text collate nocase', postgres: 'citext' }

const price = decimal({ maxDigits: 10, decimalPlaces: 2, min: 0, currency: 'EUR' })

/** The key is the code that a body gives: `/countries/AT/`. */
export const countryTable = table('countries', {
  key: textKey({ column: 'code', pattern: { test: /^[A-Z]{2}$/, message: 'Two capital letters, such as AT.' } }),
  columns: { code: key(), name: text({ max: 80 }) },
})

/** A tree: each category is below another one, or at the top. */
export const categoryTable = table('categories', {
  columns: {
    id: key(),
    slug: slug({ unique: 'There is a category with this slug.' }),
    name: text({ max: 100 }),
    parent: reference('categories', { nullable: true }),
  },
})

export const productTable = table('products', {
  columns: {
    id: key(),
    category: reference('categories'),
    name: text({ max: 100, unique: 'There is a product with this name.' }),
    description: text({ max: 2000, multiline: true, blank: true, default: '' }),
    price,
    cost: decimal({
      maxDigits: 10,
      decimalPlaces: 2,
      min: 0,
      currency: 'EUR',
      nullable: true,
      visible: ({ user }) => user.isStaff,
    }),
    changed: updated(),
  },
  types: { name: caseless },
})

export const customerTable = table('customers', {
  key: uuidKey(),
  columns: {
    id: key(),
    user: owner('users'),
    name: text({ max: 200 }),
    // This error tells every caller that the address is registered, even if the row filter hides that customer. So does the
    // error of an order's number. Where nobody may learn that, leave `unique` out: docs/permissions.md, "Limits".
    email: email({ unique: 'There is a customer with this address.' }),
    country: reference('countries', { column: 'country_code' }),
  },
  types: { email: caseless },
})

/** The id is an integer inside, and a text such as `ord_7Kq0Yx2mB9LtZs4A` outside. */
export const orderTable = table('orders', {
  key: publicId('ord'),
  columns: {
    id: key(),
    number: text({ max: 20, unique: 'There is an order with this number.', fixed: true }),
    customer: reference('customers'),
    status: choice({ open: 'Open', shipped: 'Shipped' }, { default: 'open' }),
    note: text({ max: 500, blank: true, default: '' }),
    due: dateTime({ nullable: true }),
    created: created(),
  },
  types: { status: { sqlite: 'text', postgres: 'order_status' } },
  indexes: [['customer'], ['created', 'id']],
})

export const lineTable = table('order_lines', {
  columns: {
    id: key(),
    order: reference('orders', { onDelete: 'cascade', relatedName: 'lines' }),
    product: reference('products'),
    quantity: integer({ min: 1, max: 1000, default: 1 }),
    price,
  },
  unique: [['order', 'product']],
  indexes: [['product']],
})

export const attachmentTable = table('attachments', {
  columns: {
    id: key(),
    order: reference('orders', { onDelete: 'cascade' }),
    file: file({
      store: folder('data/attachments'),
      types: ['application/pdf', 'image/*', 'text/plain'],
      maxSize: 5_000_000,
    }),
  },
  indexes: [['order']],
})

export const deliveryTable = table('deliveries', {
  key: textKey({ column: 'order_number' }),
  columns: {
    order_number: key(),
    order: reference('orders', { unique: true, onDelete: 'cascade' }),
    street: text({ max: 200 }),
    city: text({ max: 100 }),
    country: reference('countries', { column: 'country_code' }),
  },
})

export const settingTable = table('settings', {
  key: ['user'],
  columns: {
    user: reference('users', { onDelete: 'cascade' }),
    customer: reference('customers', { nullable: true, onDelete: 'set null' }),
    newsletter: boolean({ default: false }),
  },
})

const watchers = table('watchers', {
  key: ['order', 'user'],
  columns: {
    order: reference('orders', { onDelete: 'cascade' }),
    user: reference('users', { onDelete: 'cascade' }),
  },
})

export const eventTable = table('events', {
  columns: {
    id: key(),
    order: reference('orders', { onDelete: 'cascade' }),
    kind: choice({ created: 'Created', changed: 'Changed', shipped: 'Shipped' }),
    time: created(),
  },
  indexes: [['order'], ['time', 'id']],
})

export const schema = tables({
  owner: 'shop',
  tables: [
    countryTable,
    categoryTable,
    productTable,
    customerTable,
    orderTable,
    lineTable,
    attachmentTable,
    deliveryTable,
    settingTable,
    watchers,
    eventTable,
  ],
  uses: [accountTables],
  migrations: new URL('./migrations/', import.meta.url),
})

export const { resource, listView } = forTypes<Identity, typeof schema>()
