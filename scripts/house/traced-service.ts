// The service of this repository, traced: prints what each request enters as JSON.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, openServices, readSettings } from 'resource-api/service'
import service from '../../src/seed/default-service.ts'
import type { Trace } from './trace-requests.ts'

let entered: string[] | undefined
Object.assign(globalThis, { enterFunction: (file: string) => void entered?.push(file) })

const folder = mkdtempSync(join(tmpdir(), 'house-'))
const settings = readSettings({
  file: service,
  environment: {
    SECRET_KEY: 'a key of the traced service, 32 characters',
    DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
    LOG_LEVEL: 'silent',
  },
})
const services = openServices({ ...settings, secretKey: settings.secretKey! })
await services.prepare()
const { accounts } = services
const token = await services.database.transaction(async connection => {
  const id = await accounts.users.create({ username: 'ann' }, connection)
  return accounts.tokens.getOrCreate(id, connection)
})
const app = await createService(services)
const known = { host: 'localhost', authorization: `Token ${token}` }

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PATCH'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly payload?: object
}

const send = ({ method = 'GET', url, headers = known, payload }: Sent) =>
  app.inject({ method, url, headers, ...(payload && { payload }) })

async function trace(name: string, request: Sent, prepare: () => Promise<unknown> = async () => {}): Promise<Trace> {
  for (let run = 0; run < 3; run++) {
    await prepare()
    await send(request)
  }
  await prepare()
  entered = []
  const { statusCode, body } = await send(request)
  const files = entered
  entered = undefined
  if (statusCode >= 500) throw new Error(`${name}: ${statusCode} ${body}`)
  return {
    name,
    functions: files.length,
    files: new Set(files).size,
    changes: files.filter((file, index) => index > 0 && file !== files[index - 1]).length,
  }
}

const snippets = '/snippet/snippets/'
const users = '/directory/users/'
await send({ method: 'POST', url: snippets, payload: { code: 'print(1)' } })
let created = 0
const createUser = () => send({ method: 'POST', url: users, payload: { username: `user${created++}` } })
const html = { ...known, accept: 'text/html' }
const traces = [
  await trace('401', { url: users, headers: { host: 'localhost' } }),
  await trace('list, from the cache', { url: users }),
  await trace('list, from the database', { url: users }, createUser),
  await trace('one object', { url: `${snippets}1/` }),
  await trace('POST', { method: 'POST', url: snippets, payload: { code: 'print(2)' } }),
  await trace('PATCH, with the audit log', { method: 'PATCH', url: `${snippets}1/`, payload: { title: 'One' } }),
  await trace('list as HTML', { url: users, headers: html }),
]
console.log(JSON.stringify(traces))
await app.close()
await services.close()
rmSync(folder, { recursive: true })
process.exit()
