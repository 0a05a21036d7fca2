// The files with which a new service is deployed. No container engine runs here, so this test reads them.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { matchesGlob } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { limitsSchema } from '../service/settings/limits.ts'
import { variables } from '../service/settings/settings.ts'
import { readProjectFiles } from './template.ts'

const files = readProjectFiles('service', { name: 'shop', addNode: false })
const read = (name: string): string => String(files.get(name))
const dockerfile = read('Dockerfile')
const unit = read('shop.service')
const compose = parse(read('compose.yaml'))
const manifest = JSON.parse(read('package.json'))

/** The instructions of a Dockerfile, with their lines joined. */
const instructions = dockerfile
  .replaceAll('\\\n', '')
  .split('\n')
  .filter(line => line !== '' && !line.startsWith('#'))
  .map(line => /^([A-Z]+)\s+(.*)$/.exec(line)!.slice(1) as [string, string])
const findInstruction = (name: string): string => instructions.find(([each]) => each === name)![1]
const command = ['node', '--max-semi-space-size=8', 'node_modules/resource-api/lib/cli.js', 'serve']

/** The seconds that a process and its supervisor need to exit after stopTime. */
const stopTime = limitsSchema.parse({}).stopTime + 7

test('the image has the tested Node, only the packages of production, and a user without rights', () => {
  const { node } = JSON.parse(
    String(readProjectFiles('service', { name: 'shop', addNode: true }).get('package.json')),
  ).devDependencies
  assert.equal(findInstruction('FROM'), `node:${node}-slim`)
  assert.match(findInstruction('RUN'), /^npm ci --omit=dev /)
  assert.equal(findInstruction('COPY'), 'package.json package-lock.json *.tgz ./')
  assert.equal(findInstruction('USER'), 'node')
  const names = instructions.map(([name]) => name)
  assert.ok(names.lastIndexOf('RUN') < names.indexOf('USER') && names.indexOf('USER') < names.indexOf('CMD'))
})

test('the image and the unit start Node itself, as npm start does', () => {
  assert.deepEqual(JSON.parse(findInstruction('CMD')), command)
  assert.match(unit, new RegExp(`^ExecStart=/usr/bin/${command.join(' ')}$`, 'm'))
  assert.equal(manifest.scripts.start, 'resource-api serve')
})

test('their variables are settings', () => {
  const given = [
    ...[...findInstruction('ENV').matchAll(/(\w+)=/g)].map(([, name]) => name!),
    ...[.../^Environment=(.*)$/m.exec(unit)![1]!.matchAll(/(\w+)=/g)].map(([, name]) => name!),
    ...Object.keys(compose.services.service.environment),
  ]
  assert.ok(given.length > 8)
  for (const name of given) assert.ok([...Object.keys(variables), 'NODE_ENV'].includes(name), name)
})

test('the image contains neither data nor secrets, and all files that the service imports', () => {
  const patterns = read('.dockerignore')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
  // Docker matches a pattern from the root of the project; `**/` stands for any number of folders.
  const isIgnored = (name: string) =>
    patterns.some(pattern => matchesGlob(name, pattern) || matchesGlob(name, `${pattern}/**`))
  const unneeded = [
    'node_modules/a/b.js',
    'data/x.db',
    '.env',
    '.env.production',
    '.git/HEAD',
    'lib/deep/orders.test.ts',
  ]
  for (const name of unneeded) assert.ok(isIgnored(name), name)
  assert.deepEqual([...files.keys()].filter(name => !isIgnored(name)).toSorted(), [
    'migrations/0001_first.ts',
    'notes.ts',
    'package.json',
    'resource-api.config.ts',
    'tables.ts',
  ])
  for (const name of ['package-lock.json', 'resource-api-0.1.0.tgz', 'lib/orders.ts']) assert.ok(!isIgnored(name), name)
  assert.ok(read('.gitignore').split('\n').includes('.env'))
})

test('a process has enough time to stop', () => {
  assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)![1]) > stopTime)
  assert.ok(Number.parseInt(compose.services.service.stop_grace_period, 10) > stopTime)
})

test('Compose waits for PostgreSQL, keeps its data, and takes the secrets from the environment', () => {
  const { service, database } = compose.services
  assert.equal(service.depends_on.database.condition, 'service_healthy')
  assert.equal(database.healthcheck.test[0], 'CMD')
  assert.deepEqual(database.volumes, ['database:/var/lib/postgresql'])
  assert.ok('database' in compose.volumes)
  for (const value of [service.environment.SECRET_KEY, database.environment.POSTGRES_PASSWORD])
    assert.match(value, /^\$\{\w+:\?write it into \.env\}$/)
  assert.match(
    service.environment.DATABASE_URL,
    /^postgres:\/\/service:\$\{POSTGRES_PASSWORD:\?[^}]*\}@database\/service$/,
  )
  assert.deepEqual(service.ports, ['127.0.0.1:8000:8000'])
})

test('the health check succeeds only if the service is ready', async context => {
  const [name, ...args] = JSON.parse(findInstruction('HEALTHCHECK').replace(/^.*?CMD /, '')) as string[]
  assert.equal(name, 'node')
  let status = 200
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/readyz' ? status : 404
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const { port } = server.address() as { port: number }
  const check = () =>
    promisify(execFile)(process.execPath, args, { env: { ...process.env, PORT: String(port) } }).then(
      () => 0,
      ({ code }) => code,
    )
  assert.equal(await check(), 0)
  status = 503
  assert.equal(await check(), 1)
})
