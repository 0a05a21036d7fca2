// The tables of the shop, as Kysely describes them, and the functions that declare resources of these tables.

import { forTypes, type Identity } from 'resource-api'

/** A string on PostgreSQL, a number on SQLite. */
type Decimal = string | number

export interface Tables {
  countries: { code: string; name: string }
  categories: { id: number; slug: string; name: string; parent_id: number | null }
  products: {
    id: number
    category_id: number
    name: string
    description: string
    price: Decimal
    cost: Decimal | null
    changed: string | null
  }
  customers: { id: string; user_id: number; name: string; email: string; country_code: string }
  orders: {
    id: number
    public_id: string
    number: string
    customer_id: string
    status: 'open' | 'shipped'
    note: string
    due: string | null
    created: string
  }
  order_lines: { id: number; order_id: number; product_id: number; quantity: number; price: Decimal }
  attachments: { id: number; order_id: number; file: string }
  deliveries: { order_number: string; order_id: number; street: string; city: string; country_code: string }
  settings: { user_id: number; customer_id: string | null; newsletter: boolean }
  watchers: { order_id: number; user_id: number }
  events: { id: number; order_id: number; kind: string; time: string }
}

export const { resource, listView, computed, filter, rowFilter } = forTypes<Identity, Tables>()
