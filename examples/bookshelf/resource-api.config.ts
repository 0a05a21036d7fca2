import { defineService, profile } from 'resource-api/service'
import { books, schema } from './bookshelf.ts'

const bookshelf = profile('bookshelf', { resources: [books], tables: schema, admin: { books: {} } })

export default defineService({ profiles: [bookshelf] })
