import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { promisify } from 'node:util'

const clientPackage = '@prometheus-io/client'

/** Runs a module in a process in which the package cannot be found, and returns what it prints. */
async function runWithoutPackage(code: string): Promise<string> {
  const setup = `
    import { registerHooks } from 'node:module'
    registerHooks({
      resolve(specifier, context, next) {
        return next(specifier === '${clientPackage}' ? '${clientPackage}-that-is-not-installed' : specifier, context)
      },
    })
  `
  const options = ['--input-type=module', '--import', `data:text/javascript,${encodeURIComponent(setup)}`]
  const { stdout } = await promisify(execFile)(process.execPath, [...options, '--eval', code], {
    cwd: new URL('.', import.meta.url),
  })
  return stdout.trim()
}

test('without the package, metrics are an error that says how to install it', async () => {
  const message = await runWithoutPackage(`
    import Fastify from 'fastify'
    import { metrics } from '../index.ts'
    await Fastify().register(metrics).then(undefined, error => console.log(error.message))
  `)
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  const version = { ...devDependencies, ...dependencies }[clientPackage]
  assert.equal(message, `metrics need a package that is not installed: npm install ${clientPackage}@${version}`)
})

test('without the package, the other plugins work', async () => {
  const status = await runWithoutPackage(`
    import Fastify from 'fastify'
    import { health, serverOptions } from '../index.ts'
    const app = Fastify(serverOptions({ logLevel: 'silent' }))
    await app.register(health)
    console.log((await app.inject('/healthz')).statusCode)
  `)
  assert.equal(status, '200')
})
