import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { findEnds, replaySteps } from '#core'
import { mergeBranches } from './merge.ts'
import { createOwner } from './testing.ts'

const branch = (change: object) => `step({ after: ['0001_first'], change: ${JSON.stringify([change].flat())} })`

async function createBranches(context: TestContext, one: object, other: object) {
  const blog = createOwner(context)
  const create = (table: string) => ({ createTable: table, columns: { id: 'key' } })
  blog.write('0001_first', `step({ change: ${JSON.stringify([create('articles'), create('tags')])} })`)
  blog.write('0002_one', branch(one))
  blog.write('0002_other', branch(other))
  return blog
}

const addColumn = (table: string) => ({ table, addColumn: 'x', type: 'text', nullable: true })

suite('merge', () => {
  test('joins two branches that change different tables', async context => {
    const blog = await createBranches(context, addColumn('articles'), addColumn('tags'))
    const [step, ...others] = mergeBranches([await blog.read()])
    assert.deepEqual(
      [basename(step!.path), step!.lines, others],
      ['0003_merge.ts', ['after 0002_one and 0002_other'], []],
    )
    assert.equal(
      readFileSync(step!.path, 'utf8'),
      `import { step } from 'resource-api/migrations'

export default step({
  after: ['0002_one', '0002_other'],
})
`,
    )
    const { steps } = await blog.read()
    assert.deepEqual(findEnds(steps), ['0003_merge'])
    assert.deepEqual(Object.keys(replaySteps(steps).tables), ['articles', 'tags'])
    assert.deepEqual(mergeBranches([await blog.read()]), [])
  })

  const refer = { type: 'integer', nullable: true, references: { table: 'tags' } }
  for (const [title, one, other, message] of [
    ['that both change a table', addColumn('tags'), addColumn('tags'), 'both change tags'],
    [
      'one of which drops a table to which the other refers',
      { table: 'articles', addColumn: 'tag_id', ...refer },
      { dropTable: 'tags' },
      'do not fit each other (table "tags": the table "articles" refers to it: drop that column, or that table, first)',
    ],
    [
      'one of which renames a table to which the other refers',
      { table: 'articles', addColumn: 'tag_id', ...refer },
      { renameTable: 'tags', to: 'labels' },
      'do not make the same tables in both orders',
    ],
    [
      'one of which renames a table to which the other refers for a while',
      [
        { table: 'articles', addColumn: 'tag_id', ...refer },
        { table: 'articles', alterColumn: 'tag_id', type: 'integer', nullable: true },
      ],
      { renameTable: 'tags', to: 'labels' },
      'do not fit each other: one refers to tags, which another one drops or renames',
    ],
    [
      'that create indexes of the same name',
      { table: 'articles', addIndex: 'by_id', columns: ['id'] },
      { table: 'tags', addIndex: 'by_id', columns: ['id'] },
      'both use the index by_id',
    ],
  ] as const)
    test(`refuses branches ${title}`, async context => {
      const blog = await createBranches(context, one, other)
      const owner = await blog.read()
      assert.throws(() => mergeBranches([owner]), {
        message: `blog: 0002_one and 0002_other ${message}: delete the steps of one branch, and write them again with "resource-api migrations make"`,
      })
    })
})
