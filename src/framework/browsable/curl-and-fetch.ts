// Shows requests as curl commands and as fetch calls, to copy.

import { html } from 'ghtml'
import { formatJson } from '../exact-json.ts'

/** The request of an example. */
export interface ExampleRequest {
  readonly method: string
  readonly url: string
  /** Sent as JSON; undefined for no body. */
  readonly body?: unknown
  /** The keyword before the token in `Authorization`; undefined if the caller needs no token. */
  readonly tokenKeyword?: string | undefined
  /** The value of `If-Match`; undefined if the request needs none. */
  readonly ifMatch?: string | undefined
}

/** A collapsed section with two examples per request. */
export function curlAndFetchSection(requests: readonly ExampleRequest[]): string {
  const example = (name: string, line: string) =>
    html`<div class="example"><pre tabindex="0"><code>${line}</code></pre><button type="button" data-copy data-needs-script hidden>Copy ${name}</button></div>
`
  return html`<details class="examples"><summary>curl and fetch examples</summary>
!${requests.map(request => {
    const { method } = request
    return html`<h3 class="method ${method.toLowerCase()}">${method}</h3>
!${example(`curl ${method}`, formatCurl(request))}!${example(`fetch ${method}`, formatFetch(request))}`
  })}</details>
`
}

/** A command line for a POSIX shell. */
export function formatCurl({ method, url, body, tokenKeyword, ifMatch }: ExampleRequest): string {
  return [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    '-H',
    quoteShell('Accept: application/json'),
    ...(tokenKeyword === undefined ? [] : ['-H', `"Authorization: ${tokenKeyword} $TOKEN"`]),
    ...(ifMatch === undefined ? [] : ['-H', quoteShell(`If-Match: ${ifMatch}`)]),
    ...(body === undefined
      ? []
      : ['-H', quoteShell('Content-Type: application/json'), '-d', quoteShell(formatJson(body))]),
    quoteShell(url),
  ].join(' ')
}

/** A TypeScript statement. */
export function formatFetch({ method, url, body, tokenKeyword, ifMatch }: ExampleRequest): string {
  const headers = [
    `Accept: 'application/json'`,
    ...(tokenKeyword === undefined ? [] : [`Authorization: \`${tokenKeyword} \${token}\``]),
    ...(ifMatch === undefined ? [] : [`'If-Match': ${quoteScript(ifMatch)}`]),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoteScript(method)}`]),
    `headers: { ${headers.join(', ')} }`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${formatJson(body)})`]),
  ]
  return `const response = await fetch(${quoteScript(url)}, { ${options.join(', ')} })`
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const quoteScript = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
