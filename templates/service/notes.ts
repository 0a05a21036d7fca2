// Anyone may read the notes, users may write some, and only the owner may change or delete a note.

import {
  authenticatedOrReadOnly,
  dateTime,
  hyperlinkedIdentity,
  ownerOrReadOnly,
  readOnly,
  resource,
  text,
  via,
} from 'resource-api'
import { requireAccountId } from 'resource-api/accounts'

export const notes = resource('notes', {
  table: 'notes',
  ordering: ['-created'],
  objectName: 'title',
  fields: {
    url: hyperlinkedIdentity(),
    title: text({ max: 100 }),
    content: text({ multiline: true, blank: true, default: '' }),
    owner: text({ source: via('owner_id', 'users', 'username') }),
    created: readOnly(dateTime()),
  },
  searchFields: ['title', 'content'],
  filters: { created: ['gte', 'lt'] },
  orderingFields: ['title', 'created'],
  permissions: [authenticatedOrReadOnly, ownerOrReadOnly('owner_id')],
  hookColumns: ['owner_id', 'created'],
  prepare: ({ action, user, now }) => (action === 'create' ? { owner_id: requireAccountId(user), created: now } : {}),
})
