import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { randomCases } from '../../../../test/support/repetitions.ts'
import { applyChanges } from './apply-changes.ts'
import { reverseChanges } from './reverse-changes.ts'
import { isSameState } from './same-state.ts'
import { anyState, findAnswered } from './testing.ts'

const anyChoices = fc.infiniteStream(fc.nat())

suite('the changes between any two states', () => {
  test('lead from one to the other, whatever is answered; then nothing is left to change', () => {
    fc.assert(
      fc.property(anyState, anyState, anyChoices, (from, to, choices) => {
        const { changes } = findAnswered(from, to, count => choices.next().value % count)
        const reached = applyChanges(from, changes)
        assert.ok(isSameState(reached, to), JSON.stringify({ changes, reached }))
        assert.deepEqual(findAnswered(reached, to, () => assert.fail('asked')).changes, [])
      }),
      { numRuns: randomCases(10_000) },
    )
  })

  test('lead back', () => {
    fc.assert(
      fc.property(anyState, anyState, anyChoices, (from, to, choices) => {
        const { changes } = findAnswered(from, to, count => choices.next().value % count)
        const back = applyChanges(applyChanges(from, changes), reverseChanges(from, changes).changes)
        assert.ok(isSameState(back, from), JSON.stringify({ changes, back }))
      }),
      { numRuns: randomCases(10_000) },
    )
  })
})
