// Tests SECRET_KEY, SECRET_KEY_FALLBACKS and rotate-secret on the command line.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { commandLine, databases } from './command-line.ts'

const [earlier, later] = ['kq0hJ8sWb2nYcV6rXzT4mLpDfGaE1uRi9oQt7yZx', 'Zy7tQo9iRu1EaGfDpLm4TzXr6VcYn2bWs8Jh0qKx']
const refusal =
  /^resource-api: SECRET_KEY: the database was written with a secret .*SECRET_KEY_FALLBACKS.*resource-api rotate-secret"/

suite('the secret', { concurrency: true }, () => {
  for (const [name, formatUrl] of Object.entries(databases)) {
    test(`RES-TOKEN-r1: after a key rotation all tokens are valid, on ${name}`, async context => {
      const cli = await commandLine(context)
      const DATABASE_URL = await formatUrl(context, cli)
      const run = (args: readonly string[], SECRET_KEY: string, SECRET_KEY_FALLBACKS = '') =>
        cli.run(args, { input: 'correct horse', environment: { DATABASE_URL, SECRET_KEY, SECRET_KEY_FALLBACKS } })
      await run(['createuser', 'ada'], earlier)
      const { stdout: token } = await run(['token', 'ada'], earlier)
      for (const command of [['serve', '--port', '0'], ['token', 'ada'], ['createuser', 'bob'], ['rotate-secret']]) {
        const { code, stderr } = await run(command, later)
        assert.equal(code, 1)
        assert.match(stderr, refusal)
      }
      const { code, stdout } = await run(['check'], later)
      assert.equal(code, 1)
      assert.match(`resource-api: ${stdout}`, refusal)
      assert.equal((await run(['token', 'ada'], later, earlier)).stdout, token)
      const rotate = () => run(['rotate-secret'], later, `${'u'.repeat(32)}, ${earlier}`)
      const suffix = 'with SECRET_KEY, which is now the only key of this database.\n'
      assert.equal((await rotate()).stderr, `Encrypted 1 token ${suffix}`)
      assert.equal((await rotate()).stderr, `Encrypted 0 tokens ${suffix}`)
      assert.equal((await run(['token', 'ada'], later)).stdout, token)
      assert.match((await run(['token', 'ada'], earlier)).stderr, refusal)
    })

    test(`RES-TOKEN-r1: if two services with different keys start on a new database, only one serves, on ${name}`, async context => {
      const cli = await commandLine(context)
      const DATABASE_URL = await formatUrl(context, cli)
      const running = [earlier, later].map(SECRET_KEY =>
        cli.start(['serve', '--port', '0'], { environment: { DATABASE_URL, SECRET_KEY, LOG_LEVEL: 'silent' } }),
      )
      const results = await Promise.all(
        running.map(service =>
          service.until(/Listening on/).then(
            () => 'serves',
            () => 'refused',
          ),
        ),
      )
      assert.deepEqual(results.toSorted(), ['refused', 'serves'])
      const [refused, serving] = [running[results.indexOf('refused')]!, running[results.indexOf('serves')]!]
      assert.match((await refused.ended).stderr, refusal)
      await serving.stop()
    })
  }
})
