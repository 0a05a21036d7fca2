import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDocument, plainCode } from './document.ts'
import { codeIn, readLineNumbers } from './testing.ts'

const createPage = ({ code = 'x', title = '', linenos = false }) => formatDocument({ title, linenos }, plainCode(code))
const readTitle = (title: string) => /<title>(.*)<\/title>/s.exec(createPage({ title }))?.[1]

test('RES-SNIP-r8: the page is a complete HTML document', () => {
  const page = createPage({})
  assert.match(page, /^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">/)
  assert.match(page, /<style>[^<]+<\/style>\n<\/head>\n<body>\n<pre><code>x\n<\/code><\/pre>\n<\/body>\n<\/html>\n$/)
})

test('RES-SNIP-r8: the page has the title of the snippet, or a default if that is blank', () => {
  assert.equal(readTitle('Ünïcode & co'), 'Ünïcode &amp; co')
  assert.equal(readTitle(''), 'Snippet')
  assert.equal(readTitle(' \n\t'), 'Snippet')
})

test('RES-SNIP-r8: markup in the title or the code is escaped', () => {
  const hostile = '</title></style></code></pre><script>alert(1)</script><img src=x onerror="a()">&lt;'
  const page = createPage({ title: hostile, code: hostile, linenos: true })
  assert.doesNotMatch(page, /<script|<img/)
  assert.equal(page.match(/<\/(title|style|code)>/g)?.length, 3)
  assert.equal(codeIn(page), hostile)
})

test('RES-SNIP-r5: line numbers and code are in two cells of a table, and the code contains no line numbers', () => {
  const page = createPage({ code: 'a\n\nb', linenos: true })
  assert.deepEqual(readLineNumbers(page), ['1', '2', '3'])
  assert.equal(codeIn(page), 'a\n\nb')
  assert.equal(page.match(/<td/g)?.length, 2)
  assert.doesNotMatch(createPage({ code: 'a\n\nb' }), /<table/)
})

test('RES-SNIP-r5: lines are counted like in an editor', () => {
  const counts = { '': 1, a: 1, 'a\n': 1, 'a\n\n': 2, '\n\na': 3, 'a\r\nb\r\n': 2, 'a\rb': 2, '\n': 1 }
  for (const [code, count] of Object.entries(counts)) {
    assert.equal(readLineNumbers(createPage({ code, linenos: true })).length, count, JSON.stringify(code))
  }
})

test('RES-SNIP-r8: tabs, spaces and characters of all Unicode planes are preserved', () => {
  const code = '\tif  x:\n\t\t"𝒳 👩‍👩‍👧 é"   '
  assert.equal(codeIn(createPage({ code })), code)
})
