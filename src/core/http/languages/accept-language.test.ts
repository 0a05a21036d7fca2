import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anyCharacter } from '../../../../test/support/any-text.ts'
import { findLanguage } from './accept-language.ts'

const available = new Map([
  ['de', 'de'],
  ['de-ch', 'de-CH'],
  ['zh-hant', 'zh-Hant'],
])
const find = (header: string): string => findLanguage(header, available) ?? 'en'

test('RFC 9110 §12.5.4: the language with the highest weight is chosen, the first of equal ones', () => {
  const cases: Readonly<Record<string, string>> = {
    de: 'de',
    DE: 'de',
    'de-CH': 'de-CH',
    'en, de': 'en',
    'de, en': 'de',
    'en;q=0.5, de;q=0.8': 'de',
    'de;q=0.5,en;q=0.501': 'en',
    'fr, it;q=0.9, de;q=0.1': 'de',
    'en-GB, de;q=0.9': 'en',
    'de ; q=1.0': 'de',
  }
  for (const [header, language] of Object.entries(cases)) assert.equal(find(header), language, header)
})

test('RFC 4647 §3.4: a range is shortened until a language matches it', () => {
  const cases: Readonly<Record<string, string>> = {
    'de-AT': 'de',
    'de-CH-1996': 'de-CH',
    'zh-Hant-CN-x-private1': 'zh-Hant',
    'zh-Hans, de;q=0.1': 'de',
    'de-x-old': 'de',
  }
  for (const [header, language] of Object.entries(cases)) assert.equal(find(header), language, header)
})

test('RFC 9110 §12.5.4: a language with the weight 0 is not chosen, and * is English', () => {
  const cases: Readonly<Record<string, string>> = {
    'de;q=0': 'en',
    'de-AT, de;q=0': 'en',
    '*': 'en',
    '*, de;q=0.5': 'en',
    'de, *;q=0.5': 'de',
    'fr, *;q=0.5, de;q=0.1': 'en',
  }
  for (const [header, language] of Object.entries(cases)) assert.equal(find(header), language, header)
})

test('malformed members are ignored, and English is the result if none is left', () => {
  const malformed = [
    '',
    ',',
    ';',
    'de;',
    'de;q',
    'de;q=',
    'de;q=2',
    'de;q=0.1234',
    'de;q=1;x=1',
    'de_DE',
    'dé',
    '1',
    '-',
  ]
  for (const header of malformed) {
    assert.equal(find(header), 'en', header)
    assert.equal(find(`${header}, de-CH;q=0.1`), 'de-CH', header)
  }
})

test('a value of 10,000 characters is answered, whatever it holds', () => {
  assert.equal(find('a'.repeat(10_000)), 'en')
  assert.equal(find('-'.repeat(10_000)), 'en')
  assert.equal(find(`de${'-a'.repeat(5_000)}`), 'de')
  assert.equal(find('xx,'.repeat(3_333)), 'en')
  assert.equal(find(`de,${'xx,'.repeat(3_333)}`), 'de')
})

test('the result is always an available language', () => {
  const likely = fc.string({ unit: fc.constantFrom(...'den-*,;q=01. CH\t'), maxLength: 60 })
  fc.assert(
    fc.property(fc.oneof(likely, fc.string({ unit: anyCharacter, maxLength: 300 })), header => {
      assert.ok(['en', ...available.values()].includes(find(header)), header)
    }),
    { numRuns: 1000 },
  )
})
