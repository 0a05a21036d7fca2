import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { uuid } from './uuid.ts'

const parse = (input: unknown) => uuid().parse(input, {} as ParseContext)

test('every spelling of a UUID is parsed to the canonical form', () => {
  const uuids = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(value => value.toString(16).padStart(32, '0'))
  fc.assert(
    fc.property(uuids, hex => {
      const text = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
      for (const input of [text, hex, `urn:uuid:${text}`, `{${text}}`, `{${hex}}`, ` ${text} `]) {
        assert.equal(parse(input), text)
        assert.equal(parse(input.toUpperCase()), text)
      }
    }),
  )
})

test('text that is not a UUID is rejected', () => {
  const text = '00000000-0000-0000-0000-000000000000'
  for (const wrong of [
    text.slice(1),
    `${text}0`,
    `{${text}`,
    `${text}}`,
    `uuid:${text}`,
    text.replace('0', 'g'),
    `urn:uuid:{${text}}`,
  ]) {
    assert.throws(() => parse(wrong), ValidationError, wrong)
  }
})
