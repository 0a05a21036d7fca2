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
  const reason = text === undefined ? findFirstError(data) : `the response is not JSON: ${text}`
  return reason === undefined ? String(status) : `${status}: ${reason.replace(/\s+/g, ' ').slice(0, maxText)}`
}

const maxDepth = 20

/** The first error of a body, after the names that lead to it: `lines.1.quantity: A valid integer is required.` */
function findFirstError(data: unknown, names: readonly string[] = []): string | undefined {
  if (typeof data === 'string') return names.length === 0 ? data : `${names.join('.')}: ${data}`
  if (names.length === maxDepth) return undefined
  for (const [name, value] of Object.entries(Object(data))) {
    const isOfAll =
      name === 'detail' || name === 'non_field_errors' || (Array.isArray(data) && typeof value === 'string')
    const error = findFirstError(value, isOfAll ? names : [...names, name])
    if (error !== undefined) return error
  }
  return undefined
}

/** The value of `Retry-After`, which is a number of seconds or a date. */
function readSeconds(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null) return undefined
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000
  return Number.isFinite(seconds) ? Math.max(0, seconds) : undefined
}
