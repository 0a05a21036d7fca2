import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings } from 'resource-api/service'
import { SettingsError } from '../../service/settings/settings-error.ts'
import { snippets } from './profile.ts'

test('check --deploy lists limits that let a client use many resources', () => {
  const list = (options: Parameters<typeof snippets>[0]) =>
    readSettings({ file: { profiles: [snippets(options)] } }).profiles.flatMap(profile => profile.deploymentProblems)
  assert.deepEqual(list({ codeLimit: 10 * 1024 * 1024, highlightingTime: 20_000 }), [])
  assert.deepEqual(list({ codeLimit: 100_000_000 }), [
    'snippets.codeLimit: is more than 10 times its default, so a client can use many resources: set about 1048576',
  ])
})

test('a wrong setting is an error at start that names it', () => {
  const read = (options: Parameters<typeof snippets>[0]) => readSettings({ file: { profiles: [snippets(options)] } })
  assert.throws(
    () => read({ codeLimit: 0 }),
    new SettingsError('snippets.codeLimit (config file): must be 1 or more, not 0'),
  )
  assert.throws(
    () => read({ highlightedLine: 1.5 }),
    new SettingsError('snippets.highlightedLine (config file): must be a whole number, not 1.5'),
  )
})
