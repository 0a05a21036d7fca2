import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWiderPattern } from './wider-pattern.ts'

test('a pattern is wider if only its numbers of repetitions grew', () => {
  for (const [wide, narrow, expected] of [
    ['^\\d{1,4}$', '^\\d{1,3}$', true],
    ['^\\d{0,3}(?:\\.\\d{1,2})?$', '^\\d{1,3}(?:\\.\\d{2})?$', true],
    ['^a{2,}$', '^a{2,9}$', true],
    ['^\\d{2,4}$', '^\\d{1,3}$', false],
    ['^\\d{1,4}(?:\\.\\d{1})?$', '^\\d{1,3}(?:\\.\\d{1,2})?$', false],
    ['^a{2,9}$', '^a{2,}$', false],
    ['^b{1,4}$', '^a{1,3}$', false],
  ] as const)
    assert.equal(isWiderPattern(wide, narrow), expected, `${wide} ${narrow}`)
})
