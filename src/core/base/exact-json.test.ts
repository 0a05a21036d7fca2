// JSON in one order: equal data has equal texts, and data that differs has not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatSortedJson, parseIntegers } from './exact-json.ts'

const format = (text: string): string => formatSortedJson(parseIntegers(text))

test('the order of members, white space and escapes do not matter', () => {
  for (const text of [
    '{"b":{"d":1,"c":[{"y":1,"x":2}]},"a":"é"}',
    ' { "a" : "\\u00e9", "b" : { "c" : [ { "x" : 2.0, "y" : 1e0 } ], "d" : 1 } } ',
  ])
    assert.equal(format(text), '{"a":"é","b":{"c":[{"x":2,"y":1}],"d":1}}')
})

test('different values have different texts', () => {
  const texts = [
    ...['1', '"1"', 'true', '"true"', 'null', '"null"', '[]', '{}', '""', '0', 'false', '1.5', '-1'],
    ...['[1,2]', '[2,1]', '[[1],2]', '[1,[2]]', '{"a":[1,2]}', '{"a":[2,1]}', '{"a":1}', '{"b":1}', '{"a":{"b":1}}'],
    ...['9007199254740991', '9007199254740992', '9007199254740993', '"9007199254740993"', '-9007199254740993'],
    ...['123456789012345678901234567890', '123456789012345678901234567891', '0.1', '0.10000000000000002'],
    ...['{"__proto__":{"a":1}}', '{"__proto__":{"a":2}}', '{"constructor":1}', '{"toJSON":1}', '{"rawJSON":"1"}'],
    ...['{"a":1,"b":2}', '{"a":2,"b":1}', '{"1":1,"10":2}', '{"1":2,"10":1}', '[{"a":1},{}]', '[{},{"a":1}]'],
  ]
  assert.equal(new Set(texts.map(format)).size, texts.length)
})

test('values have one text whatever the order of their members, and that text has the values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (value, random) => {
      const next = () => random.next().value as number
      const text = formatSortedJson(value)
      assert.equal(formatSortedJson(shuffleMembers(value, next)), text)
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
    }),
  )
})

function shuffleMembers(value: unknown, next: () => number): unknown {
  if (Array.isArray(value)) return value.map(item => shuffleMembers(item, next))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [next(), name, shuffleMembers(member, next)] as const)
  return Object.fromEntries(members.sort(([one], [other]) => one - other).map(([, name, member]) => [name, member]))
}
