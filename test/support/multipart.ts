import type { RequestOptions } from './client.ts'

/** A form with these fields as `multipart/form-data` (RFC 7578). */
export function multipart(
  fields: Readonly<Record<string, string>>,
): Required<Pick<RequestOptions, 'headers' | 'body'>> {
  const boundary = 'a-boundary-of-the-tests'
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}--${boundary}--\r\n`,
  }
}
