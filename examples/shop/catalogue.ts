// Countries, categories, products and prices: everyone may read them, and staff may change them.

import { sql } from 'kysely'
import { fullText, hyperlinkedIdentity, isSafe, or, readOnly, related, staff, ValidationError } from 'resource-api'
import { categoryTable, countryTable, productTable, resource } from './tables.ts'

const staffOrReadOnly = or(staff, { allows: ({ method }) => isSafe(method) })

export const countries = resource('countries', {
  table: countryTable,
  objectName: 'name',
  fields: { url: hyperlinkedIdentity(), ...countryTable.pick('code', 'name') },
  ordering: ['name'],
  permissions: [staffOrReadOnly],
})

/** URLs and bodies contain slugs: `/categories/green-tea/`. */
export const categories = resource('categories', {
  table: categoryTable,
  lookup: 'slug',
  objectName: 'name',
  fields: {
    url: hyperlinkedIdentity(),
    ...categoryTable.pick('slug', 'name'),
    parent: related('categories', { by: 'slug', nullable: true }),
    children: related('categories', { by: 'slug', many: { reverse: 'parent_id' } }),
  },
  ordering: ['name'],
  filters: { parent: true },
  permissions: [staffOrReadOnly],
  async beforeSave({ action, key, values: { parent }, connection: { kysely } }) {
    if (action === 'create') return
    // The parent, its parent, and so on: a condition has no recursion.
    const { rows } = await sql`
      with recursive above (id) as (
        select cast(${parent} as bigint) union
        select parent_id from categories join above on categories.id = above.id
      )
      select id from above where id = ${key}`.execute(kysely)
    if (rows.length > 0) throw new ValidationError({ parent: 'A category cannot be below itself.' })
  },
})

/**
 * Only staff see what a product costs the shop, and filter by it. They send the `ETag` of the product that they change in
 * `If-Match`, so nobody overwrites the change of another.
 */
export const products = resource('products', {
  table: productTable,
  objectName: 'name',
  fields: {
    url: hyperlinkedIdentity(),
    ...productTable.pick('id', 'name', 'description', 'price', 'cost'),
    category: related(categories, { by: 'slug' }),
    ...productTable.pick('changed'),
  },
  lastModified: 'changed',
  requireIfMatch: true,
  ordering: ['name'],
  searchFields: ['name', 'category.name'],
  filters: {
    category: ['exact', 'in'],
    price: ['gte', 'lte'],
    cost: ['gte', 'isnull'],
    words: fullText(['name', 'description']),
  },
  orderingFields: ['name', 'price', 'category.name'],
  permissions: [staffOrReadOnly],
  nestedUnder: [{ parent: categories, field: 'category' }],
})

/** PATCH changes the prices of many products, all or none: `[{"id": 1, "price": "4.20"}, {"id": 2, "price": "3.60"}]`. */
export const prices = resource('prices', {
  table: productTable,
  fields: { ...productTable.pick('id'), name: readOnly(productTable.columns.name), ...productTable.pick('price') },
  actions: ['list', 'retrieve', 'update'],
  bulk: 'atomic',
  ordering: ['name'],
  permissions: [staff],
})
