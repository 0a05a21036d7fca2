// The names of files, as clients gave them. They are data: no file on the server has such a name.

/** Bytes in UTF-8 that file systems accept. */
const maxLength = 255

/** The end that a shortened name keeps: a dot and at most 20 characters. */
const extension = /\.[^.]{1,20}$/u

// Line breaks and other control characters, and those that change the direction of text, so that `exe.gpj` looks like an image.
const confusing = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/**
 * Removes control characters from a name, and shortens it to 255 bytes in UTF-8, its extension included. The result may be
 * empty.
 */
export function cleanFileName(name: string): string {
  const clean = name.toWellFormed().replace(confusing, '').trim()
  if (Buffer.byteLength(clean) <= maxLength) return clean
  const [end = ''] = extension.exec(clean) ?? []
  return `${cutBytes(clean.slice(0, clean.length - end.length), maxLength - Buffer.byteLength(end))}${end}`
}

// No character is cut in two.
function cutBytes(text: string, length: number): string {
  const bytes = Buffer.from(text)
  let end = length
  while ((bytes[end]! & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}
