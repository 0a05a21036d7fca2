import type { RequestOptions } from './client.ts'

export const boundary = 'a-boundary-of-the-tests'
export const multipartHeaders = { 'content-type': `multipart/form-data; boundary=${boundary}` }

/** Encodes fields as `multipart/form-data` (RFC 7578). */
export function multipart(
  fields: Readonly<Record<string, string>>,
): Required<Pick<RequestOptions, 'headers' | 'body'>> {
  const parts = Object.entries(fields).map(([name, value]) => fieldPart(name, value))
  return { headers: multipartHeaders, body: multipartBody(...parts) }
}

/** Joins parts with boundaries. */
export function multipartBody(...parts: readonly Buffer[]): Buffer {
  const start = Buffer.from(`--${boundary}\r\n`)
  const end = Buffer.from('\r\n')
  return Buffer.concat([...parts.flatMap(part => [start, part, end]), Buffer.from(`--${boundary}--\r\n`)])
}

export const fieldPart = (name: string, value: string | Buffer): Buffer =>
  rawPart([`Content-Disposition: form-data; name="${quote(name)}"`], value)

export const filePart = (name: string, filename: string, content: string | Buffer, mediaType = 'text/plain'): Buffer =>
  rawPart(
    [
      `Content-Disposition: form-data; name="${quote(name)}"; filename="${quote(filename)}"`,
      `Content-Type: ${mediaType}`,
    ],
    content,
  )

/** Creates a part with these header lines. */
export function rawPart(head: readonly (string | Buffer)[], content: string | Buffer): Buffer {
  const lines = head.flatMap(line => [Buffer.from(line), Buffer.from('\r\n')])
  return Buffer.concat([...lines, Buffer.from('\r\n'), Buffer.from(content)])
}

// Escapes as browsers do.
const quote = (text: string): string => text.replace(/["\r\n]/g, encodeURIComponent)
