import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { limitsSchema } from './limits.ts'
import { readSettings, SettingsError } from './settings.ts'

const table = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8')
const defaults = limitsSchema.parse({})

test('docs/limits.md has each limit with its default, and no other', () => {
  const rows = [...table.matchAll(/^\| [^|]+ \| (\d+)[^|]* \| `limits\.(\w+)`/gm)]
  const documented = Object.fromEntries(rows.map(([, bound, name]) => [name, Number(bound)]))
  assert.deepEqual(documented, defaults)
})

test('a limit that is none stops the start and is named', () => {
  assert.equal(readSettings({ file: { limits: { bodySize: 1 } } }).limits.bodySize, 1)
  for (const value of [0, -1, 1.5, Number.POSITIVE_INFINITY, '1' as never]) {
    assert.throws(() => readSettings({ file: { limits: { jsonDepth: value } } }), {
      name: SettingsError.name,
      message: /^limits \(config file\)\.jsonDepth: must be/,
    })
  }
  assert.throws(() => readSettings({ file: { limits: { bodysize: 1 } as never } }), /bodysize/)
})
