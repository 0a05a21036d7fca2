import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transform } from 'esbuild'
import { listAssets } from './assets.ts'

const [script] = listAssets({}).filter(({ name }) => name.endsWith('.js'))

test('the script of the pages is one strict script without imports, of at most 20 kB minified', async () => {
  const text = String(script!.body)
  assert.match(text, /^'use strict'\n/)
  assert.doesNotMatch(text, /^(?:import|export) /m)
  const { code } = await transform(text, { minify: true, format: 'iife' })
  assert.ok(code.length <= 20_000, `${code.length} bytes`)
})
