import { pageNumber } from 'resource-api'
import { defineService, profile } from 'resource-api/service'
import { notes } from './notes.ts'
import { schema } from './tables.ts'

const notebook = profile('notebook', {
  description: 'Notes that anyone can read.',
  resources: [notes],
  tables: schema,
  pagination: pageNumber({ pageSize: 20 }),
  strict: true,
  admin: { notes: { searchFields: ['title', 'content'] } },
  fixtures: { notes },
  demo: {
    data: {
      users: [{ username: 'demo', is_superuser: true }],
      notes: [
        { title: 'Milk', content: 'Two litres', owner: 'demo', created: '2026-01-02T08:00:00Z' },
        { title: 'Call Grace', owner: 'demo', created: '2026-01-03T09:30:00Z' },
      ],
    },
  },
})

export default defineService({ profiles: [notebook] })
