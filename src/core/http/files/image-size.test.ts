import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readImageSize } from './image-size.ts'

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const riff = (chunk: string, content: string) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}`, 'latin1'), hex(`00000000 ${content}`)])

/** Each image is 300 pixels wide and 200 high. */
const images = [
  ['image/gif', Buffer.concat([Buffer.from('GIF89a'), hex('2c01 c800')])],
  ['image/png', hex('89504e470d0a1a0a 0000000d 49484452 0000012c 000000c8')],
  // An APP0 segment of 4 bytes, a fill byte, a Huffman table, then the frame header.
  ['image/jpeg', hex('ffd8 ffe00004aabb ff ffc40003cc ffc2 0011 08 00c8 012c')],
  ['image/webp', riff('VP8X', '00000000 2b0100 c70000')],
  ['image/webp', riff('VP8 ', '000000 9d012a 2c01 c800')],
  ['image/webp', riff('VP8L', '2f 2bc13100')],
] as const

for (const [type, head] of images) {
  test(`${type}, ${head.toString('latin1', 12, 16)}: the size is in the header`, () => {
    assert.deepEqual({ ...readImageSize(head, type) }, { width: 300, height: 200 })
  })

  test(`${type}, ${head.toString('latin1', 12, 16)}: a header that is cut off has no size`, () => {
    for (let length = 0; length < head.length - 2; length++)
      assert.equal(readImageSize(head.subarray(0, length), type), undefined)
  })
}

test('an image without pixels, and one of an unknown type, have no size', () => {
  assert.equal(readImageSize(hex('474946383961 0000 0100'), 'image/gif'), undefined)
  assert.equal(readImageSize(Buffer.alloc(100), 'image/tiff'), undefined)
})
