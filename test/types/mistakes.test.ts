// docs/types.md shows what the compiler really says about mistakes.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createProject } from './project.ts'

const page = await readFile(new URL('../../docs/types.md', import.meta.url), 'utf8')
const [, preamble = ''] = /^```ts\n\/\/ mistakes\.ts\n(.*?)^```$/ms.exec(page) ?? []
const mistakes = [...page.matchAll(/^```typescript\n(.*?)^```\n\n```text\n(.*?)^```$/gms)].map(
  ([, code = '', message = '']) => ({ code, message: message.trim() }),
)

test('the compiler says about each mistake what docs/types.md shows', async context => {
  assert.ok(mistakes.length >= 10)
  const files = mistakes.map(({ code }, index) => [`mistake${index}.ts`, preamble + code] as const)
  const { compile } = await createProject(new Map(files), context)
  const output = await compile()
  for (const [index, { code, message }] of mistakes.entries()) {
    const errors = output.split(/^(?=\S)/m).filter(line => line.startsWith(`mistake${index}.ts`))
    assert.equal(errors.length, 1, `${code}${errors.join('')}`)
    assert.ok(errors[0]!.includes(message), `${code}${errors[0]}`)
  }
})
