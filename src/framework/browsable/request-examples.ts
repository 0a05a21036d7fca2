// The requests of a page from elsewhere: lines to copy.

import { html } from 'ghtml'

/** A request as an example shows it. */
export interface ExampleRequest {
  readonly method: string
  readonly url: string
  /** Sent as JSON; undefined for no body. */
  readonly body?: unknown
  /** The keyword of tokens, for a caller who has to name one. */
  readonly token?: string | undefined
}

/** Examples that anyone can open. */
export function examplesSection(requests: readonly ExampleRequest[]): string {
  const example = (name: string, line: string) =>
    html`<div class="copied"><pre tabindex="0"><code>${line}</code></pre><button type="button" data-copy data-script hidden>Copy ${name}</button></div>
`
  return html`<details class="examples"><summary>As curl and fetch</summary>
!${requests.map(request => {
    const { method } = request
    return html`<h2>${method}</h2>
!${example(`curl ${method}`, curlLine(request))}!${example(`fetch ${method}`, fetchLine(request))}`
  })}</details>
`
}

/** A line for a shell. */
export function curlLine({ method, url, body, token }: ExampleRequest): string {
  return [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    '-H',
    quoteShell('Accept: application/json'),
    ...(token === undefined ? [] : ['-H', `"Authorization: ${token} $TOKEN"`]),
    ...(body === undefined
      ? []
      : ['-H', quoteShell('Content-Type: application/json'), '-d', quoteShell(JSON.stringify(body))]),
    quoteShell(url),
  ].join(' ')
}

/** A statement of TypeScript. */
export function fetchLine({ method, url, body, token }: ExampleRequest): string {
  const headers = [
    `Accept: 'application/json'`,
    ...(token === undefined ? [] : [`Authorization: \`${token} \${token}\``]),
    ...(body === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: ${quoteScript(method)}`]),
    `headers: { ${headers.join(', ')} }`,
    ...(body === undefined ? [] : [`body: JSON.stringify(${JSON.stringify(body)})`]),
  ]
  return `const response = await fetch(${quoteScript(url)}, { ${options.join(', ')} })`
}

const quoteShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const quoteScript = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
