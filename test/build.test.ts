// The published package keeps its promises: installed in an empty folder, with the oldest and the newest versions of its
// peers, its applications compile and run, and so does its command line.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, statSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findLinks } from '../scripts/package-files.ts'
import { readManifest } from '../scripts/package-manifest.ts'
import { skipUnlessThorough } from './support/repetitions.ts'
import { testStranger } from './support/stranger.ts'

const repository = fileURLToPath(new URL('..', import.meta.url))
const manifest = readManifest(repository)

const run = (program: string, args: readonly string[], cwd: string) =>
  promisify(execFile)(program, args, { cwd, env: environment })

// Without the settings of services that are started beside the tests, but with those of npm.
const { DATABASE_URL: _, SECRET_KEY: __, ...environment } = process.env

let folder: string
let built: string
let tarball: string

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'resource-api-build-'))
  built = join(folder, 'built')
  await run(process.execPath, ['scripts/build.ts', built], repository)
  const { stdout } = await run('npm', ['pack', '--silent', built], folder)
  tarball = join(folder, stdout.trim())
  const peers = Object.keys(manifest.peerDependencies)
  const types = ['@types/node', '@types/pg', '@types/ws', '@fastify/websocket'].map(
    name => `${name}@${devDependency(name)}`,
  )
  await Promise.all([
    install('newest', types.slice(0, 1)),
    skipUnlessThorough ||
      install('oldest', [
        ...types,
        ...peers.map(name => `${name}@${manifest.peerDependencies[name]?.replace('^', '')}`),
      ]),
    install('same', [...peers.map(name => `${name}@${manifest.dependencies[name] ?? devDependency(name)}`)]),
  ])
})

after(() => rm(folder, { recursive: true, force: true }))

test('every relative link of a document leads to a file of the package', () => {
  const documents = globSync('{*.md,docs/**/*.md}', { cwd: built })
  const links = documents.flatMap(document => findLinks(built, document).map(link => ({ document, link })))
  assert.ok(documents.includes('README.md') && links.length > 100)
  assert.deepEqual(
    links.filter(({ link }) => !existsSync(join(built, link))),
    [],
  )
})

test('the manifest of the package names built files and no tools of the repository', async () => {
  const own = JSON.parse(await readFile(join(built, 'package.json'), 'utf8'))
  for (const name of ['private', 'scripts', 'devDependencies']) assert.equal(own[name], undefined, name)
  assert.deepEqual(Object.keys(own.exports), Object.keys(manifest.exports))
  const files = Object.values<string | Record<string, string>>(own.exports).flatMap(entry =>
    typeof entry === 'string' ? [entry] : [entry.types!, entry.default!],
  )
  for (const file of [...files, own.bin['resource-api']]) assert.ok(existsSync(join(built, file)), file)
})

test('docs/decisions/051 gives the size of the package', async () => {
  const page = await readFile(join(built, 'docs/decisions/051-one-package-with-optional-peers.md'), 'utf8')
  for (const [pattern, unit] of [
    ['**/*.*', 'files take $ MB'],
    ['lib/**/*.js', '$ MB of JavaScript'],
    ['lib/**/*.d.ts', '$ MB of declarations'],
  ] as const) {
    const documented = Number(new RegExp(unit.replace('$', '([\\d.]+)')).exec(page)?.[1])
    const measured = globSync(pattern, { cwd: built }).reduce((sum, file) => sum + sizeOf(file), 0) / 1_000_000
    assert.ok(
      Math.abs(measured - documented) < measured / 10,
      `${pattern}: ${measured} MB, documented: ${documented} MB`,
    )
  }
})

const sizeOf = (file: string): number => {
  const stats = statSync(join(built, file))
  return stats.isFile() ? stats.size : 0
}

test('the client imports nothing, so browsers can load it', async () => {
  const client = await readFile(join(built, 'lib/client.js'), 'utf8')
  assert.match(client, /export \{[^}]*createClient/)
  assert.doesNotMatch(client, /^import\b|process\.getBuiltinModule/m)
})

test('the executable says which Node it needs if an older one runs it', async () => {
  const cli = await readFile(join(built, manifestBin()), 'utf8')
  assert.ok(cli.includes(`"${manifest.engines.node?.replace('>=', '')}"`))
  assert.doesNotMatch(cli, /^(?:import|export|await)\b/m, 'an old Node must be able to parse it')
  // Node runs the executable as an older version of itself would.
  const script = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' })`
  const preload = `data:text/javascript,${encodeURIComponent(script)}`
  const outcome = run(process.execPath, ['--import', preload, join(built, manifestBin()), 'serve'], folder)
  const { code, stdout, stderr } = (await outcome.catch(error => error)) as { code: number } & Record<string, string>
  assert.equal(code, 1)
  assert.equal(stdout, '')
  assert.match(stderr!, /^resource-api needs Node 24\.16 or newer\. This is Node 20\.20\.2: .*\n$/)
})

suite('installed with the newest peers and no optional one', () => {
  const application = () => join(folder, 'newest')

  for (const resolution of ['nodenext', 'bundler']) {
    const how = resolution === 'nodenext' ? 'as Node resolves imports' : 'as bundlers resolve imports'
    test(`applications compile under TypeScript 7, ${how}`, () => compile(application(), 'typescript', resolution))
    test(`applications compile under TypeScript 5.9, ${how}`, { skip: skipUnlessThorough }, () =>
      compile(application(), 'typescript-5', resolution),
    )
  }

  for (const compiler of ['typescript', 'typescript-5'])
    test(
      `declaration files can name every type, for an application that imports only resource-api: ${compiler}`,
      {
        skip: compiler !== 'typescript' && skipUnlessThorough,
      },
      () => compile(application(), compiler, 'nodenext', ['test/package/declarations.ts']),
    )

  test('an application runs, and no optional package is installed', async () => {
    const optional = [
      'pg',
      's3mini',
      'shiki',
      'nodemailer',
      'openid-client',
      '@simplewebauthn',
      '@prometheus-io/client',
    ]
    for (const name of optional) assert.equal(existsSync(join(application(), 'node_modules', name)), false, name)
    await checkApplication(application())
  })

  test('who lacks an optional package is told which one to install', async () => {
    for (const [code, message] of [
      [
        `import { openDatabase } from 'resource-api'; openDatabase('postgres://localhost/')`,
        'PostgreSQL needs the package pg: npm install pg@8',
      ],
      [
        `import { s3 } from 'resource-api'; s3({ endpoint: 'http://localhost/x', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } })`,
        's3() needs the package s3mini: npm install s3mini@1',
      ],
      [
        `import { createMailer } from 'resource-api/jobs'; createMailer({ url: 'smtp://localhost', from: 'a@b' })`,
        'createMailer() needs the package nodemailer for SMTP: npm install nodemailer@10',
      ],
      [
        `import { openDatabase } from 'resource-api'; import { createAccounts } from 'resource-api/accounts'; createAccounts({ database: openDatabase('sqlite::memory:'), secret: 'x'.repeat(32), publicUrl: 'https://a.example', providers: [{ name: 'a', issuer: 'https://b.example', clientId: 'c', account: () => null }] })`,
        'createAccounts(): providers need the package openid-client: npm install openid-client@6',
      ],
      [
        `import { openDatabase } from 'resource-api'; import { createAccounts } from 'resource-api/accounts'; createAccounts({ database: openDatabase('sqlite::memory:'), secret: 'x'.repeat(32), publicUrl: 'https://a.example', secondFactor: { passkeys: true } })`,
        'createAccounts(): secondFactor.passkeys needs the package @simplewebauthn/server: npm install @simplewebauthn/server@14',
      ],
      [`import 'resource-api/snippets'`, 'resource-api/snippets needs the package shiki: npm install shiki@4'],
    ] as const) {
      const outcome = run(process.execPath, ['--input-type=module', '--eval', code], application())
      await assert.rejects(outcome, ({ stderr }: { stderr: string }) => stderr.includes(`Error: ${message}\n`), code)
    }
  })

  test('a command in a folder without a config file says so', async () => {
    const elsewhere = join(application(), 'node_modules')
    const cli = join(elsewhere, 'resource-api/lib/cli.js')
    await assert.rejects(run(process.execPath, [cli, 'check'], elsewhere), ({ stderr }: { stderr: string }) =>
      stderr.startsWith(
        `resource-api: there is no resource-api.config.ts in ${elsewhere}: go to the folder of your project, `,
      ),
    )
  })
})

suite('installed by a stranger', () => {
  testStranger(() => ({
    folder: join(folder, 'newest'),
    clone: repository,
    readme: join(built, 'README.md'),
    environment,
  }))
})

suite('installed with the oldest peers', { skip: skipUnlessThorough }, () => {
  const application = () => join(folder, 'oldest')

  test('applications compile', () => compile(application(), 'typescript', 'nodenext'))
  test('an application runs', () => checkApplication(application()))
  test('the command line serves its own profiles', context => checkService(application(), context))
  test('the command line shares its classes with a config file', async context => {
    await checkConfig(application(), context)
  })
})

suite('installed with the peers of the repository', () => {
  const application = () => join(folder, 'same')

  test('the command line serves its own profiles', context => checkService(application(), context))
  test('a config file in a folder without packages can import this one', async () => {
    const elsewhere = await mkdtemp(join(folder, 'elsewhere-'))
    const file = join(elsewhere, 'resource-api.config.ts')
    await writeFile(
      file,
      `import { defineService } from 'resource-api/service'\nexport default defineService({ port: 1 })\n`,
    )
    const args = [
      manifestBinIn(application()),
      'migrate',
      '--config',
      file,
      '--database',
      `sqlite:${elsewhere}/test.db`,
    ]
    await run(process.execPath, args, elsewhere)
  })
  test('the command line shares its classes with a config file', async context => {
    await checkConfig(application(), context)
  })
})

const manifestBin = () => manifest.bin['resource-api']!.replace(/^src/, 'lib').replace(/\.ts$/, '.js')

const manifestBinIn = (application: string) => join(application, 'node_modules/resource-api', manifestBin())

const devDependency = (name: string): string => {
  const version = (manifest as unknown as { devDependencies: Record<string, string> }).devDependencies[name]
  assert.ok(version, name)
  return version
}

/** Installs the package and the given ones in an empty folder, with the examples and the programs of this test. */
async function install(name: string, packages: readonly string[]): Promise<void> {
  const application = join(folder, name)
  await mkdir(application)
  await writeFile(join(application, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const flags = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await run('npm', ['install', ...flags, tarball, ...packages], application)
  await cp(join(repository, 'examples'), join(application, 'examples'), {
    recursive: true,
    // Three examples need a package that not every application has.
    filter: file => !file.endsWith('.test.ts') && (name !== 'newest' || !/fastify-jwt|conduit|scanner/.test(file)),
  })
  await cp(join(repository, 'test/package'), join(application, 'test/package'), { recursive: true })
}

async function compile(
  application: string,
  compiler: string,
  resolution: string,
  include: readonly string[] = ['examples', 'test'],
): Promise<void> {
  const file = `tsconfig.${compiler}.${resolution}.${include.length}.json`
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'esnext.disposable'],
    module: resolution === 'nodenext' ? 'nodenext' : 'esnext',
    moduleResolution: resolution,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    declaration: true,
    noEmit: true,
  }
  await writeFile(join(application, file), JSON.stringify({ compilerOptions, include }))
  const tsc = join(repository, 'node_modules', compiler, 'bin/tsc')
  await run(process.execPath, [tsc, '-p', file], application).catch(({ stdout }) =>
    assert.fail(`${compiler}, ${resolution}:\n${stdout}`),
  )
}

async function checkApplication(application: string): Promise<void> {
  const { stdout, stderr } = await run(process.execPath, ['test/package/application.ts'], application)
  assert.equal(stderr, '')
  assert.deepEqual(JSON.parse(stdout), [
    [201, '{"title":"a","stars":5,"shout":"A"}'],
    [400, '{"stars":["Too big: expected number to be <=5"]}'],
    [404, '{"detail":"Not found."}'],
    [200, '<p>'],
    [404, '{"detail":"Not found."}'],
    [201, '{"url":"http://localhost/books/1/","title":"Emma","pages":null,"shelf":"to read"}'],
    [{ titleStars: 'a5' }],
  ])
}

interface Cleanup {
  after(clean: () => Promise<void>): void
}

/** The service serves pages with their stylesheets and their script, and the thread that highlights is found. */
async function checkService(application: string, context: Cleanup): Promise<void> {
  const { origin } = await serve(application, ['--demo'], context)
  const page = await (await fetch(`${origin}/snippet/`, { headers: { accept: 'text/html' } })).text()
  const urls = [...page.matchAll(/(?:href|src)="([^"]*\/-\/[^"]*)"/g)].map(([, url]) => url!)
  assert.ok(urls.length >= 2, urls.join())
  for (const url of urls) assert.equal((await fetch(origin + url)).status, 200, url)
  const { results } = (await (await fetch(`${origin}/snippet/snippets/`)).json()) as { results: { id: number }[] }
  const documents = await Promise.all(
    results.map(async ({ id }) => (await fetch(`${origin}/snippet/snippets/${id}/highlight/`)).text()),
  )
  // On a slow machine, the first snippets are late, and are plain text.
  assert.ok(documents.some(document => document.includes('<span class="c0">')))
}

/** Classes that the config file imports are those of the service. */
async function checkConfig(application: string, context: Cleanup): Promise<void> {
  const config = ['--config', 'test/package/resource-api.config.ts']
  const { origin } = await serve(application, config, context)
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${path}`, { headers })
    return [response.status, response.headers.get('x-config'), (await response.json()) as { detail?: string }] as const
  }
  const post = async (body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${origin}/shop/notes/`, { method: 'POST', headers, body: JSON.stringify(body) })
    return [response.status, (await response.json()) as object] as const
  }
  const [wrong, errors] = await post({ title: 'a', stars: 6 })
  assert.deepEqual([wrong, Object.keys(errors)], [400, ['title', 'stars']])
  assert.deepEqual(await post({ title: 'A', stars: 5 }), [201, { id: 1, title: 'A', stars: 5, shout: 'A!' }])
  const [status, , page] = await get('/shop/notes/?start=0')
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(page), ['count', 'next', 'previous', 'results'])
  for (const [path, headers, detail] of [
    ['/shop/notes/?start=99', {}, 'No such page.'],
    ['/shop/notes/99/', {}, 'Not found.'],
    ['/shop/notes/', { 'x-lost': 'yes' }, 'Lost.'],
  ] as const)
    assert.deepEqual(await get(path, headers), [404, 'found the exception', { detail }], path)
  const document = await fetch(`${origin}/shop/notes/1/page/`, { headers: { accept: 'text/html' } })
  assert.deepEqual([document.status, await document.text()], [200, '<p>'])
}

async function serve(application: string, flags: readonly string[], context: Cleanup) {
  const database = `sqlite:${join(application, `${flags.length}.db`)}`
  const child: ChildProcess = spawn('node_modules/.bin/resource-api', ['serve', '--port', '0', ...flags], {
    cwd: application,
    env: { ...environment, DATABASE_URL: database, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  context.after(async () => {
    child.kill()
    if (child.exitCode === null) await once(child, 'exit')
  })
  let output = ''
  const origin = Promise.withResolvers<string>()
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', chunk => {
      output += String(chunk)
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0]
      if (url !== undefined) origin.resolve(url)
    })
  child.once('exit', () => origin.reject(new Error(output)))
  return { origin: await origin.promise }
}
