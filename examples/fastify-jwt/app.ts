// An existing Fastify application mounts an API. The API accepts the tokens that the application already issues, and its
// policies and hooks get the application's own type of users. For the access tokens of an OpenID Connect provider, use
// `jwtScheme` of resource-api/jwt instead of a scheme of your own.

import {
  type Anonymous,
  authenticated,
  boolean,
  createApi,
  forTypes,
  hyperlinkedIdentity,
  type Identity,
  key,
  migrate,
  openDatabase,
  pageNumber,
  readOnly,
  rowFilter,
  text,
} from 'resource-api'
import { failure, type Scheme, skip, success } from 'resource-api/extend'
import { caller, table, tables } from 'resource-api/tables'
import { createExistingApp, createTokens, type Tokens } from './existing-app.ts'

/** The caller of a request: an employee, with what every caller has. */
interface Member extends Identity {
  readonly isAuthenticated: true
  readonly id: string
  readonly company: string
}

/** The callers that the API knows. Its permissions refuse anonymous ones. */
type Visitor = Member | Anonymous

const findCompany = (user: Visitor) => (user.isAuthenticated ? user.company : null)

/** Without a token, the next scheme is tried; there is none, so the caller is anonymous. An invalid token is 401. */
const employeeScheme = ({ findEmployee }: Tokens): Scheme<Member> => ({
  name: 'employee',
  challenge: 'Bearer',
  varyOn: ['authorization'],
  async authenticate(request) {
    if (request.headers.authorization === undefined) return skip
    const employee = await findEmployee(request)
    if (employee === undefined) return failure('Invalid token.')
    const { id, name, company } = employee
    return success({ isAuthenticated: true, id, username: name, isStaff: false, company })
  },
})

const taskTable = table('tasks', {
  columns: {
    id: key(),
    title: text({ max: 200 }),
    done: boolean({ default: false }),
    author: readOnly(text()),
    company: text(),
  },
})

const schema = tables({ owner: 'tasks', tables: [taskTable] })

const { resource } = forTypes<Visitor, typeof schema>()

/** A task exists for the employees of its company only. */
const sameCompany = rowFilter({ company: caller('company') })

const tasks = resource('tasks', {
  table: taskTable,
  fields: { url: hyperlinkedIdentity(), ...taskTable.pick('title', 'done', 'author') },
  filters: { done: true },
  permissions: [authenticated, sameCompany],
  hookColumns: ['company', 'author'],
  prepare: ({ action, user }) => (action === 'create' ? { company: findCompany(user), author: user.username } : {}),
})

export async function createApp(databaseUrl: string, tokens: Tokens) {
  const database = openDatabase(databaseUrl)
  await migrate(database, [schema])
  const app = createExistingApp(tokens)
  app.addHook('onClose', () => database.close())
  const api = createApi<Visitor>({
    database,
    resources: [tasks],
    authentication: [employeeScheme(tokens)],
    pagination: pageNumber({ pageSize: 50 }),
  })
  await app.register(api, { prefix: '/api' })
  return app
}

if (import.meta.main) {
  const tokens = createTokens('replace this by a secret of your own')
  const app = await createApp('sqlite:tasks.db', tokens)
  const token = await tokens.sign({ id: 'e1', name: 'ada', company: 'acme' })
  console.log(`${await app.listen({ port: 8003 })}/api/tasks/ with the header field "Authorization: Bearer ${token}"`)
}
