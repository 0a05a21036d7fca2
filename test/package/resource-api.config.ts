// A config file for the installed command line. Its exceptions, its scheme and its paginator use the package as a
// library, so they only work if the command line uses the same copy of every class.

import { exceptionHandler, NotFound } from 'resource-api'
import { createPageLink, envelope, type Paginator, parseCount, type Scheme, skip } from 'resource-api/extend'
import { defineService } from 'resource-api/service'

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

console.error(`Kysely: ${import.meta.resolve('kysely')}`)

export default defineService({
  profiles: ['snippets'],
  snippetPagination: pagination,
  schemes: [lostScheme],
  exceptionHandler: async (error, context) => {
    const response = exceptionHandler(error, context)
    if (response === undefined || !(error instanceof NotFound)) return response
    return { ...response, headers: { ...response.headers, 'x-config': 'found the exception' } }
  },
})
