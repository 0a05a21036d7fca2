// A profile with the same rows twice: with tags, and without them, because a resource with `noStore` has none.

import { dateTime, hyperlinkedIdentity, key, pageNumber, resource, text } from 'resource-api'
import { type Profile, profile } from 'resource-api/service'

export const rowsPerPage = 10

const shared = {
  table: 'integers',
  actions: ['list', 'retrieve'],
  fields: { url: hyperlinkedIdentity(), id: key(), title: text(), note: text(), created: dateTime() },
  ordering: ['created'],
  perAction: { retrieve: { shows: ['url', 'id', 'title', 'created'] } },
} as const

/** `GET /validated/tagged/` and `GET /validated/untagged/` of the rows with integer keys. */
export const validated = (): Profile =>
  profile('validated', {
    description: 'The same rows with tags and without.',
    mount: '/validated/',
    resources: [resource('tagged', shared), resource('untagged', { ...shared, noStore: true })],
    pagination: pageNumber({ pageSize: rowsPerPage }),
  })
