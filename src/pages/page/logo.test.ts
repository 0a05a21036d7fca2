import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { browsable } from '../browsable.ts'
import { formatLogoUrl } from './assets.ts'

const folder = mkdtempSync(join(tmpdir(), 'logo-'))
after(() => rmSync(folder, { recursive: true }))

const svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><rect width="1" height="1"/></svg>'
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

function writeLogo(name: string, content: string | Buffer): URL {
  writeFileSync(join(folder, name), content)
  return pathToFileURL(join(folder, name))
}

test('a logo is a file of the pages, whose name contains its digest', () => {
  for (const [logo, body, type] of [
    [writeLogo('a.png', png), png, 'image/png'],
    [
      writeLogo('b.svg', `\uFEFF<?xml version="1.0"?>\n<!-- by hand -->${svg}\n`),
      undefined,
      'image/svg+xml; charset=utf-8',
    ],
    [svg, Buffer.from(svg), 'image/svg+xml; charset=utf-8'],
  ] as const) {
    const { assets = [] } = browsable({ logo })
    const asset = assets.find(({ name }) => /^logo\.[0-9a-f]{12}\.(?:svg|png)$/.test(name))!
    assert.equal(asset.contentType, type)
    if (body) assert.deepEqual(asset.body, body)
    assert.equal(formatLogoUrl('/shop', { logo }), `/shop/-/${asset.name}`)
  }
})

test('a path on this server and a data URL stay as they are', () => {
  for (const logo of ['/logo.svg', 'data:image/png;base64,iVBORw0KGgo='])
    assert.equal(formatLogoUrl('/shop', { logo }), logo)
  assert.equal(formatLogoUrl('/shop', {}), undefined)
})

test('a logo that pages cannot show is an error at start', () => {
  const missing = pathToFileURL(join(folder, 'missing.svg'))
  for (const [logo, message] of [
    [missing, /logo: \S+missing\.svg cannot be read: ENOENT/],
    [pathToFileURL(folder), /cannot be read: EISDIR/],
    [writeLogo('text.svg', 'A logo'), /text\.svg is neither an SVG nor a PNG/],
    [writeLogo('cut.svg', svg.slice(0, -6)), /is neither an SVG nor a PNG/],
    [writeLogo('empty.png', ''), /is neither an SVG nor a PNG/],
    [writeLogo('large.png', Buffer.concat([png, Buffer.alloc(102_400)])), /has 102470 bytes: 102400 are possible/],
    ['<svg viewBox="0 0 1 1"></svg>', /the text has no xmlns=/],
    [svg.replace('<rect', '<script>alert(1)</script><rect'), /the text contains a script/],
    [svg.replace('<rect', '<rect onload="alert(1)"'), /contains a script/],
    ['<p>Shop</p>', /the text is neither/],
    ['https://evil.example/logo.svg', /logo is "https:\/\/evil\.example\/logo\.svg": give a file/],
    ['//evil.example/logo.svg', /give a file/],
    ['logo.svg', /give a file/],
  ] as const)
    assert.throws(() => browsable({ logo }), message, String(logo))
})
