import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSettings, type ServiceOptions } from './settings.ts'
import { unsafeSettings } from './unsafe-settings.ts'

const named = (file: ServiceOptions) => unsafeSettings(readSettings({ file })).map(warning => warning.split(':')[0])

test('AUTH-SCH-1: production is warned of basic, and of credentials without HTTPS', () => {
  assert.deepEqual(named({ authentication: ['basic'] }), ['PUBLIC_URL', 'AUTHENTICATION'])
  assert.deepEqual(named({ authentication: ['token'], publicUrl: 'http://api.example.org' }), ['PUBLIC_URL'])
  assert.deepEqual(named({ authentication: ['token'], publicUrl: 'https://api.example.org' }), [])
})

test('production is warned of hosts that anybody may name', () => {
  assert.deepEqual(named({ authentication: ['token'], publicUrl: 'https://a.example', allowedHosts: ['*'] }), [
    'ALLOWED_HOSTS',
  ])
})
