import { defineService, profile } from 'resource-api/service'
import { books, migrations } from './bookshelf.ts'

const bookshelf = profile('bookshelf', { resources: [books], migrations, admin: { books: {} } })

export default defineService({ profiles: [bookshelf] })
