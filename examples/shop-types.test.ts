// The declarations of the shop get all their types from the framework: nothing in the example tells the compiler what it
// cannot know.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'

const folder = new URL('shop/', import.meta.url)

/** Matches `as`, `any`, `value!`, `<Type>value` and comments that switch off the compiler. */
const assertion = /(?<!\.)\bas\s|\bany\b|[\w)\]]!(?!=)|[=(,]\s*<\w|@ts-/

test('the shop contains no assertion of a type', async () => {
  const files = (await readdir(folder)).filter(file => file.endsWith('.ts'))
  assert.ok(files.includes('orders.ts'))
  for (const file of files) assert.doesNotMatch(withoutText(await readFile(new URL(file, folder), 'utf8')), assertion)
})

test('assertions are found', () => {
  for (const code of [
    'x as Y',
    'x as\nY',
    'const x: any',
    'x!.y',
    'x()!',
    'x[0]!',
    '= <Y>x',
    '// @ts-ignore',
    `\`\${x as Y}\``,
  ])
    assert.match(withoutText(code), assertion, code)
  for (const code of ['x !== y', '!x', 'shop.as(x)', "'as x!'", '// as is', '/** any */', '`select 1 as x`'])
    assert.doesNotMatch(withoutText(code), assertion, code)
})

/** The code without strings, the text of templates, and comments that are not for the compiler. */
function withoutText(code: string): string {
  return code
    .replace(/'[^'\n]*'|^ *\/\/(?! @ts-).*|\/\*[\s\S]*?\*\//gm, '')
    .replace(/`[^`]*`/g, template => (template.match(/\$\{[^}]*\}/g) ?? []).join(' '))
}
