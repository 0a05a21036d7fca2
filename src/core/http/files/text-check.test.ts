import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TextCheck } from './text-check.ts'

const isText = (...chunks: readonly (string | readonly number[])[]): boolean => {
  const check = new TextCheck()
  return chunks.every(chunk => check.continues(Buffer.from(chunk as string))) && check.ends()
}

test('text is UTF-8 without control characters, wherever its chunks are cut', () => {
  assert.ok(isText())
  assert.ok(isText('a\tb\r\n\f', 'ü€😀'))
  assert.ok(isText([0xe2], [0x82], [0xac]))
  assert.ok(isText('\ufeffa', 'b'))
  for (const wrong of [[0xff], [0xc3, 0x28], 'a\0', '\x1b[31m', '\x7f', '\u0085']) assert.ok(!isText('a', wrong))
  assert.ok(!isText('a', [0xe2, 0x82]), 'the last character is cut off')
  assert.ok(!isText('a', [0xe2], 'b'))
})
