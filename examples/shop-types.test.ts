// The declarations of the shop get all their types from the framework: nothing in the example tells the compiler what it
// cannot know.

import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { CreateBody, PatchBody } from 'resource-api'
import { type Same, same } from '../test/support/same-types.ts'
import type { attachments } from './shop/attachments.ts'
import type { prices } from './shop/catalogue.ts'
import type { orders } from './shop/orders.ts'

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

type Line =
  | { readonly product: number; readonly quantity?: number }
  | { readonly id: number; readonly product?: number; readonly quantity?: number }

test('bodies of orders contain lines, without the read-only price', () => {
  same<Same<CreateBody<typeof orders>['lines'], readonly Line[] | undefined>>()
  same<Same<PatchBody<typeof orders>['lines'], readonly Line[] | undefined>>()
  const order: CreateBody<typeof orders> = {
    number: 'A1',
    customer: '3f0c',
    // @ts-expect-error a new line needs a product
    lines: [{ quantity: 2 }],
  }
  // @ts-expect-error the shop sets the price
  const change: PatchBody<typeof orders> = { lines: [{ id: 1, price: '2' }] }
  assert.ok(order.lines && change.lines)
})

test('bodies of attachments contain a file', () => {
  same<Same<CreateBody<typeof attachments>['file'], Blob>>()
  same<Same<PatchBody<typeof attachments>['file'], Blob | undefined>>()
  // @ts-expect-error a file is not a text
  const body: CreateBody<typeof attachments> = { order: 'A1', file: 'note.txt' }
  assert.ok(body.file)
})

test('bodies of prices contain nothing else of the product', () => {
  same<Same<keyof PatchBody<typeof prices>, 'price'>>()
  // @ts-expect-error the name is read-only
  const change: PatchBody<typeof prices> = { name: 'Tea' }
  assert.ok(change)
})

/** The code without strings, the text of templates, and comments that are not for the compiler. */
function withoutText(code: string): string {
  return code
    .replace(/'[^'\n]*'|^ *\/\/(?! @ts-).*|\/\*[\s\S]*?\*\//gm, '')
    .replace(/`[^`]*`/g, template => (template.match(/\$\{[^}]*\}/g) ?? []).join(' '))
}
