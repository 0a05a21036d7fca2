// The command that lists and removes the stored files that no object refers to.

import assert from 'node:assert/strict'
import { mkdir, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'

const config = `import { file, folder, resource } from 'resource-api'
import { profile } from 'resource-api/service'
const orders = resource('orders', {
  table: 'orders',
  fields: { invoice: file({ store: folder('invoices'), nullable: true }) },
})
const migrations = {
  async '0001_orders'({ schema }, { key, json }) {
    await schema.createTable('orders').addColumn('id', key).addColumn('invoice', json).execute()
  },
}
export default { profiles: [profile('shop', { resources: [orders], migrations }), profile('empty', { resources: [] })] }
`

test('unused-files lists and removes old files, but not without all profiles', async context => {
  const cli = await commandLine(context)
  await writeFile(join(cli.folder, 'resource-api.config.ts'), config)
  assert.equal((await cli.run(['migrate'])).code, 0)
  const key = 'ab'.repeat(20)
  const stored = join(cli.folder, 'invoices/ab')
  await mkdir(stored, { recursive: true })
  await writeFile(join(stored, key), 'x')
  await writeFile(join(stored, 'notes.txt'), 'not a stored file')
  for (const name of [key, 'notes.txt']) await utimes(join(stored, name), 1_700_000_000, 1_700_000_000)

  const partial = await cli.run(['unused-files'], { environment: { PROFILES: 'shop' } })
  assert.equal(partial.code, 1)
  assert.match(partial.stderr, /run it with all profiles/)
  const listed = await cli.run(['unused-files'])
  assert.deepEqual([listed.code, listed.stderr], [0, '1 unused file.\n'])
  assert.match(listed.stdout, new RegExp(`^folder .*invoices: ${key}, 2023-11-14T22:13:20.000Z\n$`))
  assert.equal((await cli.run(['unused-files', '--remove'])).stderr, '1 unused file removed.\n')
  assert.deepEqual(await readdir(stored), ['notes.txt'])
})
