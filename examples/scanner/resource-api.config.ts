// A websocket beside an API: a scanner sends the code of each parcel that it sees, and gets the parcel or the error. The connection is
// open for a whole shift, so each scan identifies the caller anew: a caller who loses a right loses it at the next scan.

import websocket from '@fastify/websocket'
import type { FastifyRequest } from 'fastify'
import {
  APIException,
  authenticated,
  createContext,
  key,
  NotAuthenticated,
  PermissionDenied,
  resource,
  text,
} from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { defineService, profile } from 'resource-api/service'
import { created, owner, table, tables } from 'resource-api/tables'

const scanTable = table('scans', {
  columns: {
    id: key(),
    code: text({ max: 30, pattern: { test: /^[A-Z0-9-]+$/, message: 'This is no code.' } }),
    worker: owner('users'),
    at: created(),
  },
})

const scans = resource('scans', {
  table: scanTable,
  fields: scanTable.pick('id', 'code', 'at'),
  actions: ['list', 'retrieve', 'create'],
  permissions: [authenticated],
})

const depot = profile('depot', {
  tables: tables({ owner: 'depot', tables: [scanTable], uses: [accountTables] }),
  resources: [scans],
  async configure(app, { identify }) {
    await app.register(websocket, { options: { maxPayload: 1000 } })
    const check = async (request: FastifyRequest) => {
      checkOrigin(request)
      const { user } = await identify(request)
      if (!user.isAuthenticated) throw new NotAuthenticated()
      return user
    }
    // Before the connection is upgraded, a refusal is the response that the API gives.
    app.get('/scanner', { websocket: true, preValidation: check }, (socket, request) => {
      request.log.info('scanner connected')
      let last = Promise.resolve()
      socket.on('message', data => {
        last = last.then(async () => socket.send(JSON.stringify(await scan(String(data), request))))
      })
    })
    const scan = async (code: string, request: FastifyRequest): Promise<object> => {
      try {
        const context = createContext(app, { user: await check(request), api: 'depot' })
        return (await scans.create({ code }, context)).values
      } catch (error) {
        if (error instanceof APIException) return { error: error.detail }
        request.log.error(error)
        return { error: 'A server error occurred.' }
      }
    }
  },
})

// A browser sends its cookies also from pages of other sites.
function checkOrigin({ headers: { origin }, host }: FastifyRequest): void {
  if (origin !== undefined && URL.parse(origin)?.host !== host) throw new PermissionDenied()
}

export default defineService({ profiles: [depot] })
