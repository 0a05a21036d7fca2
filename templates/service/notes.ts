// Anyone may read the notes, users may write some, and only the owner may change or delete a note.

import { authenticatedOrReadOnly, hyperlinkedIdentity, ownerOrReadOnly, resource, text, via } from 'resource-api'
import { noteTable } from './tables.ts'

export const notes = resource('notes', {
  table: noteTable,
  ordering: ['-created'],
  objectName: 'title',
  fields: {
    url: hyperlinkedIdentity(),
    ...noteTable.pick('title', 'content'),
    owner: text({ source: via('owner_id', 'users', 'username') }),
    ...noteTable.pick('created'),
  },
  searchFields: ['title', 'content'],
  filters: { created: ['gte', 'lt'] },
  orderingFields: ['title', 'created'],
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
})
