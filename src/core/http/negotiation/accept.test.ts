import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { type Acceptance, findAcceptance, parseAccept } from './accept.ts'
import { parseMediaType, splitList } from './media-type.ts'

const offer = { mediaType: 'application/json', parameters: ['indent'] }
const accepts = (accept: string): Acceptance | undefined => findAcceptance(offer, parseAccept(accept))

const token = fc.string({ unit: fc.constantFrom(...'aZ09!#*+-.^_'), minLength: 1, maxLength: 8 })
const quality = fc.integer({ min: 0, max: 1000 }).map(thousandths => thousandths / 1000)
const range = fc.constantFrom('*/*', 'application/*', 'application/json', 'text/*', 'text/html', 'application/xml')
const member = fc.tuple(range, quality).map(([type, q]) => `${type};q=${q}`)
// Text of significant characters, which random text rarely has.
const likely = fc.string({ unit: fc.constantFrom(...'a/*;,=q01. \t"\\é'), maxLength: 60 })

test('SVC-6: no Accept value throws', () => {
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: anyCharacter, maxLength: 300 })), value => {
      for (const { range, quality } of parseAccept(value)) {
        assert.ok(quality >= 0 && quality <= 1)
        assert.ok(range.type !== '' && range.subtype !== '')
      }
      accepts(value)
    }),
    { numRuns: 1000 },
  )
})

test('SVC-6: a type that the most specific range refuses with q=0 is never acceptable', () => {
  fc.assert(
    fc.property(fc.array(member), fc.nat(5), (members, at) => {
      const others = members.filter(value => !value.startsWith('application/json'))
      const value = [...others.slice(0, at), 'application/json;q=0', ...others.slice(at)].join(', ')
      assert.equal(accepts(value)?.quality, 0)
    }),
  )
})

test('SVC-6: the weight is that of the most specific range, in any order of the ranges', () => {
  fc.assert(
    fc.property(quality, quality, quality, (exact, partial, any) => {
      const ranges = [`application/json;q=${exact}`, `application/*;q=${partial}`, `*/*;q=${any}`]
      assert.equal(accepts(ranges.join(','))?.quality, exact)
      assert.equal(accepts(ranges.toReversed().join(','))?.quality, exact)
      assert.equal(accepts(ranges.slice(1).join(' , '))?.quality, partial)
      assert.equal(accepts(ranges[2]!)?.quality, any)
    }),
  )
})

test('SVC-6: a parameter of the offer makes a range more specific, and an unknown one changes nothing', () => {
  const { quality, parameters } = accepts('application/json;q=0.9, application/json;indent=4;q=0.1')!
  assert.deepEqual([quality, parameters.get('indent')], [0.1, '4'])
  assert.deepEqual(accepts('application/json;version=1.0')?.specificity, accepts('application/json')?.specificity)
  assert.equal(accepts('application/json;version=1.0;q=0.5')?.quality, 0.5)
  const versioned = { mediaType: 'application/json;version=2' }
  for (const [version, isAccepted] of [
    ['1', false],
    ['2', true],
  ] as const)
    assert.equal(
      findAcceptance(versioned, parseAccept(`application/json;version=${version}`)) !== undefined,
      isAccepted,
    )
  assert.equal(accepts('application/json;charset=utf-8;indent=2')?.parameters.get('indent'), '2')
  assert.equal(accepts('application/json;charset=latin1'), undefined)
})

test('SVC-6: a parameter without a value is ignored, unless it is the weight', () => {
  for (const accept of [
    'application/json;indent=',
    'application/json; indent= ; q=0.5',
    'application/json;version=;a=',
  ])
    assert.equal(accepts(accept)?.parameters.has('indent'), false, accept)
  assert.equal(accepts('application/json;indent=;q='), undefined)
  assert.equal(accepts('application/json;a="b;c=";indent=;d="')?.quality, undefined)
})

test('SVC-6: weights have up to three digits; other weights are invalid', () => {
  for (const [text, weight] of Object.entries({ '0': 0, '0.': 0, '.5': 0.5, '0.125': 0.125, '1': 1, '1.000': 1 }))
    assert.equal(accepts(`*/*;q=${text}`)?.quality, weight, text)
  for (const text of ['', '.', '2', '1.1', '1.0000', '0.1234', '-0', '+1', '1e-1', 'x', '0,5'])
    assert.notEqual(accepts(`application/json;q=${text}`)?.quality, 1, text)
})

test('a formatted media type parses to the same value', () => {
  const parameters = fc.dictionary(
    token.map(name => name.toLowerCase()),
    fc.string({ unit: fc.constantFrom(...'a ;,="\\é'), maxLength: 6 }),
    { noNullPrototype: true },
  )
  fc.assert(
    fc.property(token, token, parameters, (type, subtype, values) => {
      const quoted = Object.entries(values).map(([name, value]) => `; ${name}="${value.replace(/["\\]/g, '\\$&')}"`)
      const parsed = parseMediaType(` ${type}/${subtype}${quoted.join('')} `)
      assert.deepEqual(parsed, {
        type: type.toLowerCase(),
        subtype: subtype.toLowerCase(),
        parameters: new Map(Object.entries(values)),
      })
    }),
  )
})

test('malformed media types are rejected', () => {
  for (const text of [
    '',
    'a',
    'a/',
    '/b',
    'a /b',
    'a/b c',
    'a/b;c',
    'a/b;c=',
    'a/b;c="',
    'a/b;c="\\"',
    'a/b,c/d',
    'é/b',
  ])
    assert.equal(parseMediaType(text), undefined, text)
})

test('a list is split at its commas, but not inside quotes', () => {
  assert.deepEqual(splitList('a/b;c="d,\\"e", , f/g'), ['a/b;c="d,\\"e"', 'f/g'])
  fc.assert(fc.property(likely, value => splitList(value).every(member => member === member.trim() && member !== '')))
})
