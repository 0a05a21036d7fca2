import { hyperlinkedIdentity, related } from 'resource-api'
import { ofVisibleOrder } from './lines.ts'
import { orders } from './orders.ts'
import { attachmentTable, resource } from './tables.ts'

/** Invoices, photos and notes of an order. Who sees the order may read and add them. */
export const attachments = resource('attachments', {
  table: attachmentTable,
  fields: {
    url: hyperlinkedIdentity(),
    ...attachmentTable.pick('id'),
    order: related(orders, { by: 'number', fixed: true }),
    ...attachmentTable.pick('file'),
  },
  filters: { order: true },
  permissions: ofVisibleOrder,
  nestedUnder: [{ parent: orders, field: 'order' }],
})
