// Shows requests as curl commands and as fetch calls, to copy.

import { formatJson } from '#core'

/** The request of an example. */
export interface ExampleRequest {
  readonly method: string
  readonly url: string
  /** Sent as JSON; undefined for no body. */
  readonly body?: unknown
  /** The keyword before the token in `Authorization`; undefined if the caller needs no token. */
  readonly tokenKeyword?: string | undefined
  /** The header field with the token; default: `Authorization`. */
  readonly tokenHeader?: string | undefined
  /** The value of `If-Match`; undefined if the request needs none. */
  readonly ifMatch?: string | undefined
  /** Whether `If-Match` is the value of a variable, `ETAG` or `etag`. */
  readonly hasTag?: boolean
}

/** How an example is written. */
export interface ExampleLayout {
  /** Whether it has several lines; default: false. */
  readonly isMultiline?: boolean
}

/** A command line for a POSIX shell. */
export function formatCurl(request: ExampleRequest, { isMultiline = false }: ExampleLayout = {}): string {
  const { method, url, body, ifMatch, hasTag = false, tokenKeyword, tokenHeader = authorization } = request
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`}`,
    `-H ${quoteShell('Accept: application/json')}`,
    ...(tokenKeyword === undefined ? [] : [`-H "${tokenHeader}: ${`${tokenKeyword} $TOKEN`.trim()}"`]),
    ...(ifMatch === undefined ? [] : [`-H ${quoteShell(`If-Match: ${ifMatch}`)}`]),
    ...(hasTag ? ['-H "If-Match: $ETAG"'] : []),
    ...(body === undefined
      ? []
      : [
          `-H ${quoteShell('Content-Type: application/json')}`,
          `-d ${quoteShell(isMultiline ? JSON.stringify(body, null, 2) : formatJson(body))}`,
        ]),
    quoteShell(url),
  ].join(isMultiline ? ' \\\n  ' : ' ')
}

const authorization = 'Authorization'

/** A TypeScript statement. */
export function formatFetch(request: ExampleRequest, { isMultiline = false }: ExampleLayout = {}): string {
  const { method, url, body, ifMatch, hasTag = false, tokenKeyword, tokenHeader = authorization } = request
  const tokenName = /^[A-Za-z]+$/.test(tokenHeader) ? tokenHeader : quoteScript(tokenHeader)
  const headers = [
    `Accept: 'application/json'`,
    ...(tokenKeyword === undefined ? [] : [`${tokenName}: \`${`${tokenKeyword} \${token}`.trim()}\``]),
    ...(ifMatch === undefined ? [] : [`'If-Match': ${quoteScript(ifMatch)}`]),
    ...(hasTag ? [`'If-Match': etag`] : []),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoteScript(method)}`]),
    `headers: { ${headers.join(', ')} }`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${isMultiline ? formatObject(body) : formatJson(body)})`]),
  ]
  const list = isMultiline ? `\n${options.map(option => `  ${option},\n`).join('')}` : ` ${options.join(', ')} `
  return `const response = await fetch(${quoteScript(url)}, {${list}})`
}

// Indented like the other lines of the call.
const formatObject = (body: unknown): string => JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')

/** A word of a command line. */
export const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** A text in a script. */
export const quoteScript = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
