import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { step } from './declared-step.ts'
import { findEnds, replaySteps, replayUntil } from './replay-steps.ts'

const createTags = { createTable: 'tags', columns: { id: 'key', name: 'text' } } as const
const addColumn = (name: string) => ({ table: 'tags', addColumn: name, type: 'text', nullable: true }) as const
const listColumns = (steps: Parameters<typeof replaySteps>[0]) => Object.keys(replaySteps(steps).tables.tags!.columns)

suite('replaySteps', () => {
  test('replays steps in the order of their names, and ignores functions', () => {
    const steps = {
      '0003_b': step({ change: [addColumn('b')] }),
      '0001_first': step({ change: [createTags] }),
      '0002_data': async () => assert.fail('runs'),
    }
    assert.deepEqual(listColumns(steps), ['id', 'name', 'b'])
  })

  test('takes what a step says about its function, after its changes', () => {
    const steps = {
      '0001_first': step({ state: [createTags], run: async () => assert.fail('runs') }),
      '0002_more': step({ change: [addColumn('a')], run: async () => {}, state: [addColumn('b')] }),
    }
    assert.deepEqual(listColumns(steps), ['id', 'name', 'a', 'b'])
    assert.deepEqual(Object.keys(replayUntil(steps, '0002_more').tables.tags!.columns), ['id', 'name'])
  })

  test('names the step that does not fit', () => {
    assert.throws(() => replaySteps({ '0001_first': step({ change: [addColumn('a')] }) }), {
      message: 'the step "0001_first": table "tags" does not exist',
    })
  })

  test('rejects a step after one that does not exist, or that runs later', () => {
    assert.throws(() => replaySteps({ '0002_a': step({ after: ['0001_frist'] }) }), {
      message: 'the step "0002_a": "after" names the step "0001_frist", which does not exist',
    })
    assert.throws(() => replaySteps({ '0001_a': step({ after: ['0002_b'] }), '0002_b': step({ after: [] }) }), {
      message:
        'the step "0001_a": "after" names the step "0002_b", which comes later: steps run in the order of their names',
    })
  })
})

suite('findEnds', () => {
  const first = step({ change: [createTags] })
  const second = step({ after: ['0001_first'] })
  test('finds one end of steps that build on each other, or that say nothing', () => {
    assert.deepEqual(findEnds({ '0001_first': first, '0002_a': second, '0003_b': step({}) }), ['0003_b'])
    assert.deepEqual(findEnds({}), [])
  })

  test('finds two steps that build on the same one, until a third builds on both', () => {
    const branches = { '0001_first': first, '0002_a': second, '0002_b': second }
    assert.deepEqual(findEnds(branches), ['0002_a', '0002_b'])
    assert.deepEqual(findEnds({ ...branches, '0003_merge': step({ after: ['0002_a', '0002_b'] }) }), ['0003_merge'])
  })
})
