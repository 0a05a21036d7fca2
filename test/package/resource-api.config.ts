// A config file for the installed command line. Its resource, its field, its exceptions, its scheme and its paginator use
// the package as a library, so they only work if the command line uses the same copy of every class.

import { sql } from 'kysely'
import {
  computed,
  Document,
  exceptionHandler,
  htmlDocumentRenderer,
  key,
  NotFound,
  resource,
  text,
  ValidationError,
} from 'resource-api'
import {
  createPageLink,
  defineField,
  envelope,
  type Paginator,
  parseCount,
  type Scheme,
  skip,
} from 'resource-api/extend'
import { defineService, profile } from 'resource-api/service'
import { snippets } from 'resource-api/snippets'
import * as z from 'zod'

const pagination: Paginator = {
  plan(request) {
    const offset = parseCount(request.query.get('start')) ?? 0
    return {
      kind: 'counted',
      offset,
      limit: 2,
      createPage(items, count) {
        if (offset >= count) throw new NotFound('No such page.')
        return envelope(count, createPageLink(request, { start: String(offset + 2) }), null, items)
      },
    }
  },
}

const lostScheme: Scheme = {
  name: 'lost',
  challenge: 'Lost',
  varyOn: ['x-lost'],
  async authenticate({ headers }) {
    if (headers['x-lost'] !== undefined) throw new NotFound('Lost.')
    return skip
  },
}

const upperCase = defineField<string>(
  {},
  {
    kind: text().kind,
    parse(input) {
      if (typeof input === 'string' && input === input.toUpperCase()) return input
      throw new ValidationError('Not in upper case.')
    },
  },
)

const notes = resource('notes', {
  table: 'notes',
  fields: {
    id: key(),
    title: upperCase,
    stars: z.int().max(5),
    shout: computed(text(), ({ row }) => sql`${row.title} || '!'`),
  },
  objectViews: {
    page: { renderers: [htmlDocumentRenderer], handlers: { GET: () => ({ status: 200, body: new Document('<p>') }) } },
  },
})

const shop = profile('shop', {
  resources: [notes],
  pagination,
  migrations: {
    '0001_notes': async kysely => {
      await sql`create table notes (id integer primary key, title text not null, stars integer not null)`.execute(
        kysely,
      )
    },
  },
})

export default defineService({
  profiles: [shop, snippets()],
  authentication: [],
  schemes: [lostScheme],
  exceptionHandler: async (error, context) => {
    const response = exceptionHandler(error, context)
    if (response === undefined || !(error instanceof NotFound)) return response
    return { ...response, headers: { ...response.headers, 'x-config': 'found the exception' } }
  },
})
