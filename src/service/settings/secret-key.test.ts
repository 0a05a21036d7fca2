import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock, test } from 'node:test'
import { createFileOnce, readOrCreateSecret } from './secret-key.ts'
import { readSettings } from './settings.ts'

const settingsIn = (folder: string) => readSettings({ file: { databaseUrl: `sqlite:${join(folder, 'x.db')}` } })

test('a secret that was not written whole stops the start, and stays as it is', async context => {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-secret-'))
  context.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'secret-key')
  // Each look at the clock is a second after the one before it.
  let time = performance.now()
  const clock = mock.method(performance, 'now', () => (time += 1000))
  context.after(() => clock.mock.restore())
  for (const text of ['', 'short\n', 'x'.repeat(43)]) {
    await writeFile(file, text)
    assert.throws(
      () => readOrCreateSecret(settingsIn(folder), assert.fail),
      /^SettingsError: SECRET_KEY: .+ no whole secret: .+remove the file/,
    )
    assert.equal(await readFile(file, 'utf8'), text)
  }
  await rm(file)
  const made = readOrCreateSecret(settingsIn(folder), () => undefined)
  assert.equal(readOrCreateSecret(settingsIn(folder), assert.fail), made)
})

test('a folder that cannot be made is named', async context => {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-secret-'))
  context.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'file'), '')
  assert.throws(
    () => readOrCreateSecret(settingsIn(join(folder, 'file')), assert.fail),
    /SECRET_KEY: .+file\/secret-key cannot be made/,
  )
})

test('what could not be written is not left behind', async context => {
  const folder = await mkdtemp(join(tmpdir(), 'resource-api-secret-'))
  context.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'kept')
  const fail = () => {
    throw new Error('no text')
  }
  assert.throws(() => createFileOnce(file, fail), /no text/)
  assert.equal(
    createFileOnce(file, () => 'text'),
    true,
  )
})
