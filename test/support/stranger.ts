// What somebody does who meets the package for the first time, in a folder outside the repository: paste the program of
// the README, and write a new project. The diagnostics tell how long each step takes.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { findCsrfToken, loginUrl, openBrowser } from './browser.ts'
import { type Client, connectTo } from './client.ts'
import { skipUnlessThorough } from './repetitions.ts'

/** Where the stranger begins. */
export interface Beginning {
  /** A folder in which the package is installed from a file. */
  readonly folder: string
  /** A clone of the repository, with its packages. */
  readonly clone: string
  readonly readme: string
  readonly environment: NodeJS.ProcessEnv
}

const html = { headers: { accept: 'text/html' } }

// In the context of a test run, `node --test` would report to that run.
const withoutTestContext = ({ NODE_TEST_CONTEXT: _, ...environment }: NodeJS.ProcessEnv) => environment

/** Declares the tests. `begin` is called when they run. */
export function testStranger(begin: () => Beginning): void {
  test("the README's program runs", context => runReadmeProgram(begin(), context))

  test('a new service shows its pages, lets users in, and passes its tests', context => runService(begin(), context))
  test('a new application shows its pages, and passes its tests', { skip: skipUnlessThorough }, context =>
    runApplication(begin(), context),
  )
  test('a clone writes a new service that passes its tests', { skip: skipUnlessThorough }, context =>
    runServiceOfClone(begin(), context),
  )
}

async function runReadmeProgram({ folder, readme, environment }: Beginning, context: TestContext): Promise<void> {
  const program = /^## A bookshelf$.*?^```ts\n(.*?)^```/ms.exec(await readFile(readme, 'utf8'))?.[1]
  assert.match(program ?? '', /defineService/)
  const cwd = join(folder, 'bookshelf')
  await mkdir(cwd)
  await writeFile(join(cwd, 'resource-api.config.ts'), program!)
  const create = "echo 'a long password' | npx resource-api createuser ann --superuser"
  await run('sh', ['-c', create], { cwd, environment, context })
  const client = await start('npx', ['resource-api', 'dev'], { cwd, environment, context })
  const ann = { authorization: `Basic ${btoa('ann:a long password')}` }
  const page = await client.get('/books/', { headers: { ...ann, ...html.headers } })
  assert.match(page.text, /<form/)
  assert.equal((await client.post('/books/', { headers: ann, json: { title: 'Emma' } })).status, 201)
  assert.equal((await client.get('/books/', { headers: ann })).json().length, 1)
}

async function createProject({ folder, environment }: Beginning, context: TestContext, ...args: readonly string[]) {
  await run('npx', ['resource-api', 'new', ...args], { cwd: folder, environment, context })
}

async function installProject({ environment }: Beginning, context: TestContext, cwd: string): Promise<void> {
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund'], { cwd, environment, context })
}

async function runService(beginning: Beginning, context: TestContext): Promise<void> {
  const { folder, environment } = beginning
  const cwd = join(folder, 'shop')
  await createProject(beginning, context, 'shop')
  await installProject(beginning, context, cwd)
  const client = await start('npm', ['run', 'dev'], { cwd, environment, context })
  await checkPages(client, '/', '/notes/')

  const browser = openBrowser(client)
  const password = (await readFile(join(cwd, 'data/demo-password'), 'utf8')).trim()
  const csrfmiddlewaretoken = findCsrfToken(await browser.get(loginUrl))
  const login = await browser.request('POST', loginUrl, { form: { username: 'demo', password, csrfmiddlewaretoken } })
  assert.equal(login.status, 302, login.text)
  const created = await browser.send('POST', '/notes/', { json: { title: 'Bread' } })
  assert.deepEqual([created.status, created.json().owner], [201, 'demo'])
  assert.match((await browser.get('/notes/', html)).text, /Bread/)
  assert.equal((await browser.get('/admin/notes/', html)).status, 200)

  await checkProject({ cwd, environment, context })
}

async function runApplication(beginning: Beginning, context: TestContext): Promise<void> {
  const { folder, environment } = beginning
  const cwd = join(folder, 'books')
  await createProject(beginning, context, 'books', '--minimal')
  // Both projects need the same packages, so npm finds them in place.
  await rename(join(folder, 'shop/node_modules'), join(cwd, 'node_modules'))
  await installProject(beginning, context, cwd)
  const client = await start('npm', ['run', 'dev'], { cwd, environment, context })
  await checkPages(client, '/', '/books/')
  await checkProject({ cwd, environment, context })
}

async function runServiceOfClone(beginning: Beginning, context: TestContext): Promise<void> {
  const { folder, clone, environment } = beginning
  const cwd = join(folder, 'of-clone')
  await run('npm', ['run', 'cli', '--', 'new', cwd], { cwd: clone, environment, context })
  await installProject(beginning, context, cwd)
  await checkProject({ cwd, environment, context })
}

async function checkPages(client: Client, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const page = await client.get(path, html)
    assert.equal(page.status, 200, page.text)
    assert.match(page.headers['content-type']!, /^text\/html/)
    assert.match((await client.get(path)).headers['content-type']!, /^application\/json/)
  }
}

async function checkProject(options: ProgramOptions): Promise<void> {
  assert.match(await run('npm', ['test'], options), /^ℹ pass 2$/m)
  await run('npx', ['tsc'], options)
}

interface ProgramOptions {
  readonly cwd: string
  readonly environment: NodeJS.ProcessEnv
  readonly context: TestContext
}

/** Runs a program, and returns its output; rejects if it fails. */
async function run(program: string, args: readonly string[], { cwd, environment, context }: ProgramOptions) {
  const begin = performance.now()
  const child = spawn(program, args, { cwd, env: withoutTestContext(environment), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  const [code] = await once(child, 'close')
  assert.equal(code, 0, `${program} ${args.join(' ')}:\n${output}`)
  report(context, [program, ...args], begin)
  return output
}

/** Starts a server on a free port, and returns a client for it. After the test, the server is stopped. */
async function start(
  program: string,
  args: readonly string[],
  { cwd, environment, context }: ProgramOptions,
): Promise<Client> {
  const begin = performance.now()
  // npm starts further processes, so the group of all of them is stopped.
  const child = spawn(program, args, {
    cwd,
    env: { ...withoutTestContext(environment), PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  context.after(async () => {
    if (child.exitCode !== null) return
    process.kill(-child.pid!)
    await once(child, 'close')
  })
  let output = ''
  const origin = Promise.withResolvers<string>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += String(chunk)
      const url = /http:\/\/\S+?:\d+/.exec(output)?.[0]
      if (url !== undefined) origin.resolve(url)
    })
  child.once('close', () => origin.reject(new Error(output)))
  const client = connectTo(await origin.promise)
  context.after(() => client.close())
  report(context, [program, ...args], begin)
  return client
}

function report(context: TestContext, command: readonly string[], begin: number): void {
  context.diagnostic(`${command.join(' ')}: ${((performance.now() - begin) / 1000).toFixed(1)} s`)
}
