// Compresses responses (decisions 069 and 170). A compressed text reveals by its length whether two of its parts are equal. If one part
// is a secret and an attacker chooses another, repeated requests reveal the secret (BREACH). The attacker needs the caller's
// browser to send requests with the caller's credentials, so only responses to requests without such credentials are compressed.

import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'
import { type ContentCoding, chooseCoding } from './content-coding.ts'

/** Shorter texts are sent as they are: they fit into one packet. In UTF-16 units. */
const minLength = 1024

/** Finds the coding of a response with this length; undefined to send it as it is. */
export function findCoding(
  headers: IncomingHttpHeaders,
  { length, isAuthenticated }: { readonly length: number; readonly isAuthenticated: boolean },
): ContentCoding | undefined {
  const accepted = headers['accept-encoding']
  if (length < minLength || accepted === undefined || isSentByBrowsers(headers, isAuthenticated)) return undefined
  return chooseCoding([accepted].flat().join(', '))
}

export const compress: (text: string, coding: ContentCoding) => Promise<Buffer> = (text, coding) =>
  compressors[coding](text)

const compressors: Readonly<Record<ContentCoding, (text: string) => Promise<Buffer>>> = {
  br: text => run(callback => brotliCompress(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }, callback)),
  zstd: text => run(callback => zstdCompress(text, callback)),
  gzip: text => run(callback => gzip(text, callback)),
}

/** Compresses a file that is compressed once, as far as possible. */
export const compressBest = (body: Buffer, coding: ContentCoding): Promise<Buffer> => bestCompressors[coding](body)

const bestCompressors: Readonly<Record<ContentCoding, (body: Buffer) => Promise<Buffer>>> = {
  br: body =>
    run(callback => brotliCompress(body, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }, callback)),
  zstd: body => run(callback => zstdCompress(body, { params: { [constants.ZSTD_c_compressionLevel]: 19 } }, callback)),
  gzip: body => run(callback => gzip(body, { level: constants.Z_BEST_COMPRESSION }, callback)),
}

const run = promisify((compressWith: (callback: Callback) => void, callback: Callback) => compressWith(callback))

type Callback = (error: Error | null, result: Buffer) => void

// Cookies, and the credentials of these schemes, are sent by a browser whichever site causes the request. A caller who is
// identified by anything but the field Authorization, such as a client certificate, may be a browser too.
function isSentByBrowsers(headers: IncomingHttpHeaders, isAuthenticated: boolean): boolean {
  const { cookie, authorization, 'sec-fetch-site': site } = headers
  // A browser says which site has caused a request, and no script can change that: a page of this origin, or a person.
  if (site === 'same-origin' || site === 'none') return false
  if (cookie !== undefined) return true
  return authorization === undefined ? isAuthenticated : /^(?:basic|digest|negotiate|ntlm)\b/i.test(authorization)
}
