// Clients that three generators make from the documents compile, and those of the shop work.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { type TestService, testService } from 'resource-api/testing'
import shop from '../../examples/shop/resource-api.config.ts'
import { readDocuments } from '../support/example-documents.ts'
import { createHostileDocument } from '../support/hostile-document.ts'
import { skipUnlessThorough } from '../support/repetitions.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const programs = ['openapi-fetch', 'orval', 'hey-api']

interface Program {
  run(baseUrl: string, token: string, product: number, customer: string): Promise<object>
}

suite('generated clients', () => {
  let folder: string
  let service: TestService
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'clients-'))
    service = await testService(shop, { socket: true })
    await cp(join(import.meta.dirname, 'clients'), folder, { recursive: true })
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
    for (const generator of ['openapi-typescript', 'orval', 'hey-api']) await mkdir(join(folder, generator))
    const documents = { ...(await readDocuments()), hostile: await createHostileDocument() }
    for (const [name, document] of Object.entries(documents))
      await writeFile(join(folder, `${name}.json`), JSON.stringify(document))
    const names = Object.keys(documents)
    await run(process.execPath, [join(root, 'test/support/generate-clients.ts'), folder, service.origin, ...names])
  })
  after(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })

  const all = ['*.ts', 'openapi-typescript', 'orval', 'hey-api']
  // TypeScript 5 takes much longer, and the code is similar.
  const small = ['conduit', 'hostile'].flatMap(name => [
    `openapi-typescript/${name}.ts`,
    `orval/${name}.ts`,
    `hey-api/${name}`,
  ])

  for (const [compiler, include] of [
    ['typescript', all],
    ['typescript-5', small],
  ] as const)
    test(`compile with ${compiler}`, { skip: compiler === 'typescript-5' && skipUnlessThorough }, async () => {
      const compilerOptions = {
        ...{ strict: true, noEmit: true, target: 'es2022', module: 'esnext', moduleResolution: 'bundler', types: [] },
        ...{ lib: ['es2024', 'dom', 'dom.iterable'], allowImportingTsExtensions: true },
      }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }))
      const tsc = join(root, 'node_modules', compiler, 'bin/tsc')
      await run(process.execPath, [tsc, '-p', folder]).catch(error => assert.fail(error.stdout))
    })

  for (const program of programs)
    test(`the shop and ${program}`, async () => {
      const { token, product, customer } = await prepareShop(service, program)
      const outfile = join(folder, `${program}.mjs`)
      await build({
        entryPoints: [join(folder, `${program}.ts`)],
        bundle: true,
        format: 'esm',
        outfile,
        logLevel: 'error',
      })
      const client = (await import(pathToFileURL(outfile).href)) as Program
      assert.deepEqual(await client.run(service.origin, token, product, customer), {
        names: [`Black tea for ${program}`],
        total: '9.00',
        errors: ['There is an order with this number.'],
        status: 'shipped',
      })
    })
})

// Each program gets a category with a product that its query finds, and one that it does not find.
async function prepareShop(service: TestService, name: string) {
  const user = await service.user(`${name}-user`, { staff: true, superuser: true })
  const client = service.as(user)
  const create = async (path: string, body: object) =>
    (await client.post(path, body).expect(201)).json() as { id: never }
  const code = ['AT', 'IN', 'FR'][programs.indexOf(name)]!
  await create('/countries/', { code, name: 'Somewhere' })
  await create('/categories/', { slug: name, name })
  const { id: product } = await create('/products/', { name: `Green tea for ${name}`, price: '4.50', category: name })
  await create('/products/', { name: `Black tea for ${name}`, price: '3.90', category: name })
  const { id: customer } = await create('/customers/', { name, email: `${name}@example.org`, country: code })
  return { token: user.token, product, customer }
}
