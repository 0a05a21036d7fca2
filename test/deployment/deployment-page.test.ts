// Checks docs/deployment.md and deploy/ against the repository and the service's settings and limits.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { readSettings } from 'resource-api/service'
import { limitsSchema } from '../../src/service/settings/limits.ts'
import { variables } from '../../src/service/settings/settings.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(repository + path, 'utf8')
const deploymentPage = read('docs/deployment.md')
const nginx = read('deploy/nginx.conf')
const dockerfile = read('deploy/Dockerfile')
const systemdUnit = read('deploy/resource-api@.service')
const environment = Object.fromEntries(
  [...read('deploy/environment').matchAll(/^(\w+)=(.*)$/gm)].map(([, ...pair]) => pair),
)
const limits = limitsSchema.parse({})
/** The seconds that a process and its worker supervisor need to exit after stopTime. */
const exitTime = 7

const findNumber = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1])
const findAll = (text: string, pattern: RegExp): readonly string[] =>
  [...text.matchAll(pattern)].map(([, found]) => found!)

test('all links in docs/deployment.md work, and it names each file in deploy/', () => {
  const links = findAll(deploymentPage, /\]\((?!https?:|#)([^)#]+)/g)
  assert.ok(links.length > 15)
  for (const link of links) assert.ok(existsSync(`${repository}docs/${link}`), link)
  const headings = findAll(deploymentPage, /^#+ (.*)$/gm).map(heading => heading.toLowerCase().replaceAll(' ', '-'))
  for (const anchor of findAll(deploymentPage, /\]\(#([^)]+)\)/g)) assert.ok(headings.includes(anchor), anchor)
  for (const file of readdirSync(`${repository}deploy`).filter(name => !name.endsWith('ignore')))
    assert.ok(deploymentPage.includes(`deploy/${file}`), file)
})

test('the variables, settings and commands in docs/deployment.md and deploy/ exist', () => {
  const variableNames = [...Object.keys(variables), 'NODE_ENV']
  const inPage = findAll(deploymentPage, /`([A-Z][A-Z_]+)(?:=[^`]*)?`/g).filter(
    name => !['SIGTERM', 'POST', 'PATCH'].includes(name),
  )
  const inContainer = findAll(/^ENV .*$/m.exec(dockerfile)![0], /(\w+)=/g)
  assert.ok(inPage.length > 10)
  for (const name of [
    ...inPage,
    ...inContainer,
    ...findAll(deploymentPage, /--env (\w+)/g),
    ...Object.keys(environment),
  ])
    assert.ok(variableNames.includes(name), name)
  for (const name of findAll(deploymentPage + nginx + systemdUnit, /limits\.(?!md\b)(\w+)/g))
    assert.ok(Object.hasOwn(limits, name), name)
  const commands = findAll(read('src/service/commands/command-line.ts'), /'([a-z-]+)(?: [<[]\w+[>\]])*',/g)
  const usedCommands = findAll(deploymentPage, /^(?:.*`)?resource-api ([a-z-]+)/gm)
  assert.ok(usedCommands.length >= 4)
  for (const name of usedCommands) assert.ok(commands.includes(name), name)
})

test('deploy/environment sets everything except for the secret', () => {
  assert.equal(environment.SECRET_KEY, '')
  const settings = readSettings({ environment: { ...environment, SECRET_KEY: 'x'.repeat(40) } })
  assert.ok(settings.production)
})

test('nginx has the same limits as the service', () => {
  assert.equal(findNumber(nginx, /client_max_body_size (\d+);/), limits.bodySize)
  assert.equal(findNumber(nginx, /large_client_header_buffers \d+ (\d+)k;/) * 1024, limits.headerSize)
  for (const name of ['client_header_timeout', 'client_body_timeout'])
    assert.equal(findNumber(nginx, new RegExp(`${name} (\\d+)s;`)), limits.requestTime, name)
  assert.equal(findNumber(nginx, /^ {4}send_timeout (\d+)s;/m), limits.stallTime)
  assert.ok(findNumber(nginx, /keepalive 32;\n {4}keepalive_timeout (\d+)s;/) < limits.idleTime)
})

test('systemd and Docker give a process enough time to stop', () => {
  assert.ok(findNumber(systemdUnit, /^TimeoutStopSec=(\d+)$/m) > limits.stopTime + exitTime)
  assert.ok(findNumber(deploymentPage, /--stop-timeout (\d+)/) > limits.stopTime + exitTime)
})

test('the Dockerfile copies existing files, and uses the Node version of the tests and an unprivileged user', () => {
  const { devDependencies, dependencies } = JSON.parse(read('package.json'))
  assert.deepEqual([...new Set(findAll(dockerfile, /^FROM node:(\S+)-slim/gm))], [devDependencies.node])
  assert.ok(Object.keys(dependencies).length > 0)
  const copied = findAll(dockerfile, /^COPY (?!--from)(.*) \S+$/gm).flatMap(files => files.split(' '))
  assert.ok(copied.length >= 6)
  const includedFiles = findAll(read('deploy/Dockerfile.dockerignore'), /^!(.*)$/gm)
  for (const file of copied) {
    assert.ok(existsSync(repository + file), file)
    assert.ok(includedFiles.includes(file), file)
  }
  assert.match(dockerfile, /^USER node$/m)
  assert.ok(existsSync(`${repository}src/cli.ts`))
  assert.match(dockerfile, /^ENTRYPOINT \["node", "--max-semi-space-size=8", "dist\/lib\/cli\.js"\]$/m)
})

test("the container's health check succeeds only if the service is ready", async context => {
  const [, script] = JSON.parse(/^ {2}CMD (\[.*\])$/m.exec(dockerfile)![1]!).slice(1) as string[]
  let status = 200
  const server = createServer(({ url }, response) => {
    response.statusCode = url === '/readyz' ? status : 404
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  context.after(() => server.close())
  const { port } = server.address() as { port: number }
  const runHealthCheck = () =>
    promisify(execFile)(process.execPath, ['-e', script!], { env: { ...process.env, PORT: String(port) } }).then(
      () => 0,
      ({ code }) => code,
    )
  assert.equal(await runHealthCheck(), 0)
  status = 503
  assert.equal(await runHealthCheck(), 1)
  server.closeAllConnections()
  await promisify(server.close.bind(server))()
  assert.equal(await runHealthCheck(), 1)
})
