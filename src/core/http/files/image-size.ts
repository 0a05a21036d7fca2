// The size of an image, from its header: an image of a few kilobytes can need gigabytes once it is decoded.

/** In pixels. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** The types whose size can be read. */
export const imageTypes: readonly string[] = ['image/gif', 'image/jpeg', 'image/png', 'image/webp']

/** Bytes at the beginning of an image that contain its size, unless a JPEG has very long metadata. */
export const imageHeadSize = 512 * 1024

/** Reads the size of an image of one of `imageTypes`; undefined if the header is damaged or incomplete. */
export function readImageSize(head: Buffer, type: string): ImageSize | undefined {
  try {
    const size = readers[type]?.(head)
    return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
  } catch (error) {
    // The header ends too early.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const readers: Readonly<Record<string, (head: Buffer) => ImageSize | undefined>> = {
  'image/gif': head => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  'image/png': head => ({ width: head.readUInt32BE(16), height: head.readUInt32BE(20) }),
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
}

// ITU-T T.81: segments follow each other until the frame header, which has the size.
function readJpeg(head: Buffer): ImageSize | undefined {
  let offset = 2
  while (head.readUInt8(offset) === 0xff) {
    const marker = head.readUInt8(offset + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: head.readUInt16BE(offset + 5), width: head.readUInt16BE(offset + 7) }
    offset += marker === 0xff ? 1 : 2 + head.readUInt16BE(offset + 2)
  }
  return undefined
}

// RFC 9649: the first chunk has the size, in one of three forms.
function readWebp(head: Buffer): ImageSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    default:
      return undefined
  }
}
