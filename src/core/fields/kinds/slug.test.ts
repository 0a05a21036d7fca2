import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ValidationError } from '../../errors/exceptions.ts'
import type { ParseContext } from '../field.ts'
import { slug } from './slug.ts'

const parse = (input: unknown) => slug().parse(input, {} as ParseContext)

test('only ASCII letters, digits, underscores and hyphens are accepted', () => {
  const slugs = fc.stringMatching(/^[A-Za-z0-9_-]+$/)
  fc.assert(fc.property(slugs, text => assert.equal(parse(text), text)))
  const rejected = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 3 })
    .filter(text => !/^[A-Za-z0-9_-]*$/.test(text.trim()))
  fc.assert(fc.property(rejected, text => assert.throws(() => parse(`a${text}b`), ValidationError)))
})
