import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDisposition } from './content-disposition.ts'
import { cleanFileName } from './file-name.ts'

test('a name has no control characters', () => {
  for (const [name, clean] of [
    ['a\r\nSet-Cookie: b.txt', 'aSet-Cookie: b.txt'],
    ['\0a\x1b[31m\x7f\u0085.txt', 'a[31m.txt'],
    ['photo\u202egpj.exe', 'photogpj.exe'],
    [' a b.txt\t', 'a b.txt'],
    ['نامه\u200cها.pdf', 'نامه\u200cها.pdf'],
    ['\ud800.txt', '\ufffd.txt'],
    ['\r\n', ''],
  ] as const)
    assert.equal(cleanFileName(name), clean)
})

test('a long name is shortened, with whole characters and its extension', () => {
  for (const [name, clean] of [
    [`${'a'.repeat(251)}.pdf`, `${'a'.repeat(251)}.pdf`],
    [`${'a'.repeat(300)}.pdf`, `${'a'.repeat(251)}.pdf`],
    [`${'ü'.repeat(300)}.pdf`, `${'ü'.repeat(125)}.pdf`],
    [`${'😀'.repeat(300)}.übung`, `${'😀'.repeat(62)}.übung`],
    ['a'.repeat(300), 'a'.repeat(255)],
    [`a.${'b'.repeat(300)}`, `a.${'b'.repeat(253)}`],
  ] as const) {
    assert.equal(cleanFileName(name), clean)
    assert.ok(Buffer.byteLength(clean) <= 255)
  }
})

test('the field Content-Disposition of every name is short and in ASCII', () => {
  for (const name of ['😀'.repeat(10_000), `${'"\\'.repeat(5000)}.pdf`, 'a\r\nb.txt', "%41'*().txt", '\u2028\ud800'])
    assert.match(
      formatDisposition(name, 'application/pdf'),
      /^attachment; filename="[ !#$&-[\]-~]{1,255}"(; filename\*=UTF-8''(%[0-9A-F]{2}|[\w.!#$&+^`|~-]){1,765})?$/,
    )
})
