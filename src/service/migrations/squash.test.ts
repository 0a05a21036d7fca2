import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { suite, test } from 'node:test'
import type { DeclaredStep } from 'resource-api/migrations'
import { findEnds, isSameState, replaySteps } from '#core'
import { listProblems } from './check-steps.ts'
import { makeSteps } from './make.ts'
import { squashSteps } from './squash.ts'
import { createOwner, createState } from './testing.ts'

const text = { type: 'text' } as const
const first = createState({ articles: { body: text } })
const second = createState({ articles: { text }, tags: {} })
const third = createState({
  articles: { text, tag_id: { type: 'integer', nullable: true, references: { table: 'tags' } } },
  tags: {},
})

suite('squash', () => {
  test('writes one step that makes the same tables, and keeps steps with data', async context => {
    const blog = createOwner(context)
    await makeSteps([await blog.read(first)], {}, undefined)
    await makeSteps([await blog.read(second)], { rename: ['articles.body=articles.text'] }, undefined)
    blog.write('0003_texts', `step({ after: ['0002_tags'], keep: true, run: async () => {} })`)
    await makeSteps([await blog.read(third)], {}, undefined)
    const before = replaySteps((await blog.read()).steps)
    const { path, lines } = squashSteps(await blog.read(third))
    assert.deepEqual(
      [basename(path), ...lines],
      [
        '0001_to_0004.ts',
        'instead of 0001_first.ts, 0002_tags.ts, 0004_article_tag_id.ts',
        'A database that has applied all of them does not run it.',
      ],
    )
    assert.deepEqual(readdirSync(blog.folder), ['0001_to_0004.ts', '0003_texts.ts'])
    const squashed = await blog.read(third)
    assert.ok(isSameState(replaySteps(squashed.steps), before))
    assert.deepEqual(findEnds(squashed.steps), ['0003_texts'])
    assert.deepEqual(listProblems(squashed), [])
  })

  test('does not wait for steps that no database records, such as those that join branches', async context => {
    const blog = createOwner(context)
    await makeSteps([await blog.read(first)], {}, undefined)
    await makeSteps([await blog.read(second)], { rename: ['articles.body=articles.text'] }, undefined)
    blog.write('0003_merge', `step({ after: ['0002_tags'] })`)
    blog.write('0004_data', `step({ after: ['0003_merge'], keep: true, run: async () => {} })`)
    squashSteps(await blog.read(second))
    const { steps } = await blog.read(second)
    const { replaces, formerNames } = steps['0001_to_0003'] as DeclaredStep
    assert.deepEqual([replaces, formerNames], [['0001_first', '0002_tags'], ['0003_merge']])
    assert.deepEqual(findEnds(steps), ['0004_data'])
  })

  test('writes nothing if the steps do not make the declared tables, or if there is one step', async context => {
    const blog = createOwner(context)
    await makeSteps([await blog.read(first)], {}, undefined)
    const [one, other] = await Promise.all([blog.read(first), blog.read(createState({}))])
    assert.throws(() => squashSteps(one), { message: 'blog: there are no two steps to squash' })
    assert.throws(() => squashSteps(other), { message: /^blog: the declared tables are not those of the steps/ })
    assert.deepEqual(readdirSync(blog.folder), ['0001_first.ts'])
  })
})
