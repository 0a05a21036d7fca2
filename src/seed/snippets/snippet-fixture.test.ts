import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataError } from '../../service/data/data-error.ts'
import { snippetFixture } from './snippet-fixture.ts'
import { snippetResources } from './snippets.ts'

const highlighter = { highlight: async () => '' }
const [, resource] = snippetResources({ highlighter, codeLimit: 20 })
const fixture = snippetFixture(resource, { highlighter, codeLimit: 20 })
const print = { owner: 'ada', code: 'print(1)' }

test('only the owner and the code are required; other values have the defaults of the HTTP API', async () => {
  const { rows } = await fixture.read('snippets', [print])
  assert.deepEqual(rows, [{ ...print, title: '', linenos: false, language: 'python', style: 'friendly' }])
})

test('the owner is a username, and the code is not changed', async () => {
  const { rows } = await fixture.read('snippets', [{ owner: 'ＡＤＡ', code: '  x\r\n' }])
  const [{ owner, code }] = rows as [typeof print]
  assert.deepEqual([owner, code], ['ADA', '  x\r\n'])
})

const invalid: readonly (readonly [data: { snippets: object[] }, message: string])[] = [
  [{ snippets: [{ code: 'x' }] }, 'snippets[0].owner: This field is required.'],
  [{ snippets: [{ owner: 'ada' }] }, 'snippets[0].code: This field is required.'],
  [{ snippets: [{ ...print, code: '' }] }, 'snippets[0].code: This field may not be blank.'],
  [{ snippets: [{ ...print, code: ' \n' }] }, 'snippets[0].code: This field may not be blank.'],
  [
    { snippets: [{ ...print, code: 'x'.repeat(21) }] },
    'snippets[0].code: Ensure this field has no more than 20 characters.',
  ],
  [{ snippets: [{ ...print, language: 'zz' }] }, 'snippets[0].language: "zz" is not a valid choice.'],
  [{ snippets: [{ ...print, style: 'zz' }] }, 'snippets[0].style: "zz" is not a valid choice.'],
  [
    {
      snippets: [
        { ...print, id: 1 },
        { ...print, id: 1 },
      ],
    },
    'snippets[1].id: the same as snippets[0].id',
  ],
]

for (const [{ snippets }, message] of invalid) {
  test(`a data file is rejected: ${message}`, async () => {
    await assert.rejects(fixture.read('snippets', snippets), new DataError(message))
  })
}
