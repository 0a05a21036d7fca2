import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parse } from 'yaml'
import { formatYaml } from './yaml.ts'

test('lists and objects are indented, and texts are quoted if they might be something else', () => {
  const data = {
    openapi: '3.1.1',
    tags: [{ name: 'no', values: [] }, ['a', ['b']]],
    $ref: '#/x',
    empty: {},
    none: null,
  }
  assert.equal(
    formatYaml(data),
    `openapi: "3.1.1"
tags:
  - name: "no"
    values: []
  - - a
    - - b
$ref: "#/x"
empty: {}
none: null
`,
  )
})

test('a parser of another project reads the same data', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      const data: unknown = JSON.parse(JSON.stringify(value))
      assert.deepEqual(parse(formatYaml(data), { version: '1.2', uniqueKeys: false }), data)
    }),
    { numRuns: 1000 },
  )
})

test('texts with spaces, colons, line breaks and words of YAML stay texts', () => {
  for (const text of [
    '',
    ' a',
    'a ',
    'a: b',
    'a #b',
    'true',
    'Null',
    '~',
    '1',
    '1e3',
    '- a',
    '{a}',
    '&a',
    'a\nb',
    '\u0000',
    '\u0085',
    '\u2028',
    '\ufeff',
    'über',
    '=',
    '<<',
    '.inf',
    '0x1',
    'yes',
  ])
    assert.deepEqual(
      parse(formatYaml({ [text]: [text, { text }] })),
      { [text]: [text, { text }] },
      JSON.stringify(text),
    )
})
