// Range requests of one range of bytes (RFC 9110 §14). A request for several ranges gets the whole file, which is allowed.

import type { IncomingHttpHeaders } from 'node:http'
import type { ByteRange } from './file-store.ts'

/** Reads the range of a request; undefined if the response is the whole file. `etag` is quoted. */
export function readRange(
  { range, 'if-range': condition }: IncomingHttpHeaders,
  { size, etag }: { readonly size: number; readonly etag: string },
): ByteRange | 'unsatisfiable' | undefined {
  // Files have no modification time, so a date never matches (§13.1.5).
  if (range === undefined || (condition !== undefined && condition !== etag)) return undefined
  const [, start = '', end = ''] = /^bytes=[\t ]*(\d*)-(\d*)[\t ]*$/i.exec(range) ?? []
  if (start === '' && end === '') return undefined
  const first = start === '' ? Math.max(size - Number(end), 0) : Number(start)
  const last = start === '' || end === '' ? size - 1 : Math.min(Number(end), size - 1)
  if (start !== '' && end !== '' && Number(end) < Number(start)) return undefined
  return first > last ? 'unsatisfiable' : { first, last }
}
