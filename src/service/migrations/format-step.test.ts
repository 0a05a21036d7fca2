import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { emptyState } from '#core'
import { randomCases } from '../../../test/support/repetitions.ts'
import { anyState, findAnswered } from '../../core/database/schema/testing.ts'
import { formatProgram, runProgram } from '../code/testing.ts'
import { formatStep, type StepText } from './format-step.ts'

const read = async (text: string): Promise<StepText> => (await runProgram(text)).default as StepText

suite('formatStep', () => {
  test('writes a step that reads like a declaration', () => {
    assert.equal(
      formatStep({
        after: ['0001_first'],
        change: [
          { table: 'articles', renameColumn: 'body', to: 'text' },
          { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' },
          { table: 'articles', addIndex: 'articles_state', columns: ['state', '-created_at'] },
          {
            createTable: 'tags',
            columns: { id: 'key', name: 'text' },
            indexes: { tags_name_unique: { columns: ['name'], unique: true } },
          },
        ],
      }),
      `import { step } from 'resource-api/migrations'

export default step({
  after: ['0001_first'],
  change: [
    { table: 'articles', renameColumn: 'body', to: 'text' },
    { table: 'articles', addColumn: 'state', type: 'text', fill: 'draft' },
    { table: 'articles', addIndex: 'articles_state', columns: ['state', '-created_at'] },
    {
      createTable: 'tags',
      columns: { id: 'key', name: 'text' },
      indexes: { tags_name_unique: { columns: ['name'], unique: true } },
    },
  ],
})
`,
    )
  })

  test('keeps quotation marks, backslashes, line breaks and control characters in texts', async () => {
    const texts = ["it's", 'a "b"', `'"'`, 'a\\b\n\r\t\u0000\u0085\u2028', '😀', '\ud83d']
    const change = texts.map(text => ({ table: text, dropColumn: text }))
    assert.deepEqual((await read(formatStep({ change }))).change, change)
  })

  test('writes any step as Biome formats it, and loses nothing', async () => {
    const anyStep = fc.tuple(anyState, anyState, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }))
    const texts: string[] = []
    for (const [from, to, choices] of fc.sample(anyStep, randomCases(1_000))) {
      const { changes } = findAnswered(from, to, count => (choices.pop() ?? 0) % count)
      const change = [...findAnswered(emptyState, from, () => 0).changes, ...changes]
      const text = formatStep({ after: ['0001_first'], change })
      assert.deepEqual({ change: [], ...(await read(text)) }, { after: ['0001_first'], change })
      texts.push(text.replace(/^import .*\n\nexport default/, `export const step${texts.length} =`))
    }
    const formatted = formatProgram(texts.join('\n'))
    for (const text of texts) assert.ok(formatted.includes(text), text)
  })
})
