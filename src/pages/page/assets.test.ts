import assert from 'node:assert/strict'
import { test } from 'node:test'
import { transform } from 'esbuild'
import { listAssets } from './assets.ts'

const scripts = listAssets({}).filter(({ name }) => /^(?!passkeys).*\.js$/.test(name))

test('each script of the pages is strict and has no imports; all pages have one of at most 8 kB minified, and the others are as small', async () => {
  const minify = async (text: string) => (await transform(text, { minify: true, format: 'iife' })).code.length
  for (const { name, body } of scripts) {
    const text = String(body)
    assert.match(text, /^'use strict'\n/)
    assert.doesNotMatch(text, /^(?:import|export) /m)
    const length = await minify(text)
    assert.ok(length <= 8_000, `${name}: ${length} bytes`)
  }
})

test('the sources of the scripts have no text of several lines, so that their indentation can be left out', () => {
  for (const { name, body } of scripts)
    for (const line of String(body).split('\n')) assert.equal(line.split('`').length % 2, 1, `${name}: ${line}`)
})
