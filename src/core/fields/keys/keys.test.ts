import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import type { Key } from '../../keys/key.ts'
import { parseSegment } from '../../keys/parse-segment.ts'
import { integerKey } from './integer-key.ts'
import { publicId } from './public-id.ts'
import { textKey } from './text-key.ts'
import { createUuid, uuidKey } from './uuid-key.ts'

test('UUIDs of version 7 sort by the time of creation, and differ within a millisecond', () => {
  const times = [0, 1, 2 ** 32 - 1, 2 ** 32, Date.UTC(2026, 0, 1), 2 ** 48 - 1]
  const uuids = times.map(createUuid)
  assert.deepEqual(uuids.toSorted(), uuids)
  for (const uuid of uuids) assert.match(uuid, /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  assert.equal(new Set(Array.from({ length: 1000 }, () => createUuid(1))).size, 1000)
})

test('public ids are random, and of one form', () => {
  const { create, publicIdentifier } = publicId('ord', { publicColumn: 'code' })
  const ids = Array.from({ length: 1000 }, () => create!().code!)
  assert.equal(new Set(ids).size, 1000)
  for (const id of ids) assert.equal(publicIdentifier!.parse(id), id)
  const characters = new Set(ids.flatMap(id => [...id.slice(4)]))
  assert.equal(characters.size, 62)
  assert.throws(() => publicId('Ord_'), /the prefix "Ord_" must be lower-case letters and digits/)
})

const keys: Readonly<Record<string, Key>> = {
  integer: integerKey(),
  uuid: uuidKey(),
  text: textKey(),
  choice: textKey({ choices: ['a', 'b/c'] }),
  public: publicId('ord'),
}

for (const [kind, key] of Object.entries(keys))
  test(`${kind}: any text in a path or a body is a value with this spelling, or is rejected`, () => {
    const { publicIdentifier: identifier = key } = key
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: anyCharacter }), fc.stringMatching(/^[\d./%-]{0,40}$/), fc.uuid()),
        text => {
          const parsed = identifier.parse(text)
          assert.ok(parsed === undefined || String(parsed) === text)
          try {
            identifier.read(text)
          } catch (error) {
            assert.ok(error instanceof ValidationError)
            assert.equal(parsed, undefined)
          }
        },
      ),
    )
  })

test('a segment of a URL is decoded once, and only if values need it', () => {
  assert.equal(parseSegment('a%252Fb', keys.text!), 'a%2Fb')
  assert.equal(parseSegment('a%2Fb', keys.text!), 'a/b')
  assert.equal(parseSegment('%FF', keys.text!), undefined)
  assert.equal(parseSegment('%2E%2E', keys.text!), undefined)
  assert.equal(parseSegment('%31', keys.integer!), undefined)
  assert.equal(parseSegment('1', keys.integer!), 1)
})
