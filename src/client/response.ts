// Reads responses.

import { ClientError, findKind } from './errors.ts'

const maxText = 200

/**
 * The data of a response; undefined if it has no body. Throws ClientError for an error, and for a body that is not JSON. `where`
 * begins the message.
 */
export async function readData(response: Response, where: string): Promise<unknown> {
  const { status, headers, ok } = response
  const body = await response.text()
  const read = body === '' && !isCutOff(response) ? { data: undefined } : parseJson(body)
  if (ok && read !== undefined) return read.data
  const text = read === undefined ? body.slice(0, maxText) : undefined
  const kind = ok || (status === 400 && read === undefined) ? 'unreadable' : findKind(status)
  throw new ClientError(kind, `${where}: ${describe(status, read?.data, text)}`, {
    status,
    data: read?.data,
    seconds: readSeconds(headers),
    headers,
    text,
  })
}

// A body that is announced as JSON has at least one character.
const isCutOff = ({ status, headers }: Response): boolean =>
  status === 200 && headers.get('content-type')?.includes('json') === true

function parseJson(text: string): { readonly data: unknown } | undefined {
  try {
    return { data: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function describe(status: number, data: unknown, text: string | undefined): string {
  if (text !== undefined) return `${status}: the response is not JSON: ${text}`
  const { detail } = Object(data)
  return typeof detail === 'string' ? `${status}: ${detail}` : String(status)
}

/** The value of `Retry-After`, which is a number of seconds or a date. */
function readSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
