import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDocument, plainCode } from './document.ts'
import { codeIn, numbersIn } from './testing.ts'

const pageOf = ({ code = 'x', title = '', linenos = false }) => formatDocument({ title, linenos }, plainCode(code))
const titleOf = (title: string) => /<title>(.*)<\/title>/s.exec(pageOf({ title }))?.[1]

test('RES-SNIP-r8: the page is a whole HTML document', () => {
  const page = pageOf({})
  assert.match(page, /^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
  assert.match(page, /<style>[^<]+<\/style>\n<\/head>\n<body>\n<pre><code>x\n<\/code><\/pre>\n<\/body>\n<\/html>\n$/)
})

test('RES-SNIP-r8: the title of the page is that of the snippet unless it is blank', () => {
  assert.equal(titleOf('Ünïcode & co'), 'Ünïcode &amp; co')
  assert.equal(titleOf(''), 'Snippet')
  assert.equal(titleOf(' \n\t'), 'Snippet')
})

test('RES-SNIP-r8: a hostile title or code stays text', () => {
  const hostile = '</title></style></code></pre><script>alert(1)</script><img src=x onerror="a()">&lt;'
  const page = pageOf({ title: hostile, code: hostile, linenos: true })
  assert.doesNotMatch(page, /<script|<img/)
  assert.equal(page.match(/<\/(title|style|code)>/g)?.length, 3)
  assert.equal(codeIn(page), hostile)
})

test('RES-SNIP-r5: numbers and code are two cells of a table, and the code holds no numbers', () => {
  const page = pageOf({ code: 'a\n\nb', linenos: true })
  assert.deepEqual(numbersIn(page), ['1', '2', '3'])
  assert.equal(codeIn(page), 'a\n\nb')
  assert.equal(page.match(/<td/g)?.length, 2)
  assert.doesNotMatch(pageOf({ code: 'a\n\nb' }), /<table/)
})

test('RES-SNIP-r5: lines are counted as an editor counts them', () => {
  const counts = { '': 1, a: 1, 'a\n': 1, 'a\n\n': 2, '\n\na': 3, 'a\r\nb\r\n': 2, 'a\rb': 2, '\n': 1 }
  for (const [code, count] of Object.entries(counts)) {
    assert.equal(numbersIn(pageOf({ code, linenos: true })).length, count, JSON.stringify(code))
  }
})

test('RES-SNIP-r8: tabs, spaces and characters of any plane stay as they are', () => {
  const code = '\tif  x:\n\t\t"𝒳 👩‍👩‍👧 é"   '
  assert.equal(codeIn(pageOf({ code })), code)
})
