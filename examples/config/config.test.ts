import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from 'resource-api/service'
import config from './resource-api.config.ts'

test('the service accepts the config file', () => {
  const { profiles, tokenForNewUsers, tokenResponse } = readSettings({ file: config })
  assert.deepEqual([profiles.map(({ name }) => name), tokenForNewUsers], [['snippets'], true])
  assert.deepEqual(tokenResponse?.({ username: 'ann' } as never), { username: 'ann' })
})
