// Countries, categories, products and prices: everyone may read them, and staff may change them.

import { sql } from 'kysely'
import {
  dateTime,
  decimal,
  fullText,
  hyperlinkedIdentity,
  isSafe,
  key,
  or,
  readOnly,
  related,
  slug,
  staff,
  text,
  textKey,
  ValidationError,
} from 'resource-api'
import { resource } from './tables.ts'

const staffOrReadOnly = or(staff, { allows: ({ method }) => isSafe(method) })

/** The key is the code that a body gives: `/countries/AT/`. */
export const countries = resource('countries', {
  table: 'countries',
  key: textKey({ column: 'code', pattern: { test: /^[A-Z]{2}$/, message: 'Two capital letters, such as AT.' } }),
  objectName: 'name',
  fields: { url: hyperlinkedIdentity(), code: key(), name: text({ max: 80 }) },
  ordering: ['name'],
  permissions: [staffOrReadOnly],
})

/** A tree: each category is below another one, or at the top. URLs and bodies contain slugs: `/categories/green-tea/`. */
export const categories = resource('categories', {
  table: 'categories',
  lookup: 'slug',
  objectName: 'name',
  fields: {
    url: hyperlinkedIdentity(),
    slug: slug({ unique: 'There is a category with this slug.' }),
    name: text({ max: 100 }),
    parent: related('categories', { by: 'slug', nullable: true }),
    children: related('categories', { by: 'slug', many: { reverse: 'parent_id' } }),
  },
  ordering: ['name'],
  filters: { parent: true },
  permissions: [staffOrReadOnly],
  async beforeSave({ action, key, values: { parent }, connection: { kysely } }) {
    if (action === 'create') return
    // The parent, its parent, and so on.
    const { rows } = await sql`
      with recursive above (id) as (
        select cast(${parent} as bigint) union
        select parent_id from categories join above on categories.id = above.id
      )
      select id from above where id = ${key}`.execute(kysely)
    if (rows.length > 0) throw new ValidationError({ parent: 'A category cannot be below itself.' })
  },
})

export const price = decimal({ maxDigits: 10, decimalPlaces: 2, min: 0 })

/**
 * Only staff see what a product costs the shop, and filter by it. They send the `ETag` of the product that they change in
 * `If-Match`, so nobody overwrites the change of another.
 */
export const products = resource('products', {
  table: 'products',
  objectName: 'name',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    name: text({ max: 100, unique: 'There is a product with this name.' }),
    description: text({ max: 2000, blank: true, default: '' }),
    price,
    cost: decimal({ maxDigits: 10, decimalPlaces: 2, min: 0, nullable: true, visible: ({ user }) => user.isStaff }),
    category: related(categories, { by: 'slug' }),
    changed: readOnly(dateTime({ nullable: true })),
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
  hookColumns: ['changed'],
  prepare: ({ now }) => ({ changed: now }),
})

/** PATCH changes the prices of many products, all or none: `[{"id": 1, "price": "4.20"}, {"id": 2, "price": "3.60"}]`. */
export const prices = resource('prices', {
  table: 'products',
  fields: { id: key(), name: readOnly(text()), price },
  actions: ['list', 'retrieve', 'update'],
  bulk: 'atomic',
  ordering: ['name'],
  permissions: [staff],
  hookColumns: ['changed'],
  prepare: ({ now }) => ({ changed: now }),
})
