import assert from 'node:assert/strict'
import { test } from 'node:test'
import { detectType, isAccepted, knownTypes } from './content-types.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test('the type follows from the content, whatever the client claims', () => {
  const office = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  for (const [content, type] of [
    ['%PDF-1.7', 'application/pdf'],
    ['\x89PNG\r\n\x1a\n', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x10\0\0\0WEBPVP8 ', 'image/webp'],
    ['RIFF\x10\0\0\0WAVEfmt ', 'audio/wav'],
    ['\0\0\0\x20ftypavif', 'image/avif'],
    ['\0\0\0\x20ftypisom', 'video/mp4'],
    ['PK\x03\x04\x14\0\0\0\0\0[Content_Types].xml word/document.xml', office],
    ['PK\x03\x04\x14\0mimetypeapplication/epub+zip', 'application/epub+zip'],
    ['PK\x03\x04\x14\0a.txt', 'application/zip'],
    ['\0\x01\x02', 'application/octet-stream'],
    ['\xff\xfe\xfd', 'application/octet-stream'],
    ['a\x1bb', 'application/octet-stream'],
  ] as const) {
    assert.equal(detectType(latin1(content), 'image/png'), type)
    assert.ok(knownTypes.includes(type))
  }
})

test('text is what the client claims, if that is text that browsers do not run', () => {
  const text = Buffer.from('name,größe\n')
  assert.equal(detectType(text, 'text/csv'), 'text/csv')
  for (const claimed of ['text/html', 'image/svg+xml', 'application/pdf', 'text/javascript'])
    assert.equal(detectType(Buffer.from('<script>alert(1)</script>'), claimed), 'text/plain')
  assert.equal(detectType(text.subarray(0, 8), 'text/csv'), 'text/csv', 'a character may be cut off')
})

test('an accepted type may stand for a family', () => {
  assert.ok(isAccepted('image/png', ['application/pdf', 'image/*']))
  assert.ok(!isAccepted('image/png', ['image/jpeg', 'application/*', 'im/*']))
})
