import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createStation } from './api-key.ts'

let folder: string
let station: Awaited<ReturnType<typeof createStation>>

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'station-'))
  station = await createStation(`sqlite:${join(folder, 'station.db')}`)
})

after(async () => {
  await station.app.close()
  await rm(folder, { recursive: true })
})

const post = (headers: Record<string, string>) =>
  station.app.inject({ method: 'POST', url: '/readings/', payload: { station: 'north', value: '12.5' }, headers })

test('AUTH-SCH-6: a valid API key identifies the caller, no key is 401 with the challenge, and a wrong key ends the request', async () => {
  const key = await station.addKey('a program')
  const made = await post({ 'x-api-key': key })
  assert.deepEqual([made.statusCode, made.json()], [201, { station: 'north', value: '12.5' }])
  for (const [headers, detail] of [
    [{}, 'Authentication credentials were not provided.'],
    [{ 'x-api-key': '' }, 'Invalid API key.'],
    [{ 'x-api-key': `${key}x` }, 'Invalid API key.'],
  ] as const) {
    const refused = await post(headers)
    assert.deepEqual([refused.statusCode, refused.json()], [401, { detail }])
    assert.equal(refused.headers['www-authenticate'], 'ApiKey')
    assert.equal(refused.headers.vary, 'Accept, X-Api-Key')
  }
})
