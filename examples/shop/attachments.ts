import { file, folder, hyperlinkedIdentity, key, related } from 'resource-api'
import { ofVisibleOrder } from './lines.ts'
import { orders } from './orders.ts'
import { resource } from './tables.ts'

/** Invoices, photos and notes of an order. Who sees the order may read and add them. */
export const attachments = resource('attachments', {
  table: 'attachments',
  fields: {
    url: hyperlinkedIdentity(),
    id: key(),
    order: related(orders, { by: 'number', fixed: true }),
    file: file({
      store: folder('data/attachments'),
      types: ['application/pdf', 'image/*', 'text/plain'],
      maxSize: 5_000_000,
    }),
  },
  filters: { order: true },
  permissions: ofVisibleOrder,
  nestedUnder: [{ parent: orders, field: 'order' }],
})
