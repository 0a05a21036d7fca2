import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeptHtml } from './kept-html.ts'

test('what was made of a text under a name is made once', () => {
  const kept = createKeptHtml()
  const made: string[] = []
  const make = (html: string) => () => {
    made.push(html)
    return html
  }
  assert.equal(kept.of('[1]', 'table', make('a')), 'a')
  assert.equal(kept.of('[1]', 'table', make('b')), 'a')
  assert.equal(kept.of('[1]', 'json', make('c')), 'c')
  assert.equal(kept.of('[2]', 'table', make('d')), 'd')
  assert.equal(kept.of('[1]', 'table', make('e')), 'a')
  assert.deepEqual(made, ['a', 'c', 'd'])
})

test('what is kept is bounded, together and one by one', () => {
  const kept = createKeptHtml()
  let made = 0
  const page = () => {
    made++
    return 'x'.repeat(1024 * 1024)
  }
  for (const json of ['1', '2', '3', '4', '5']) kept.of(json, 'table', page)
  kept.of('5', 'table', page)
  assert.equal(made, 5)
  kept.of('1', 'table', page)
  assert.equal(made, 6, 'the first went when there was too much')

  const long = 'y'.repeat(64 * 1024 + 1)
  kept.of(long, 'json', page)
  kept.of(long, 'json', page)
  assert.equal(made, 8)
})
