// The answer to a request, for the scripts that show it.

import { createElement } from './pages.js'

/** The status, the header fields under this label, and the body, as elements. Without a network, an error. */
export function describeAnswer({ response, text, ms, data }, label) {
  if (response.status === 0) return [createElement('p', { className: 'errors', textContent: data.detail })]
  const outcome = createElement('b', {
    className: response.ok ? 'ok' : 'failed',
    textContent: `${response.status} ${response.statusText}`,
  })
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`)
  const body = typeof data === 'string' ? data : JSON.stringify(data, null, 2)
  return [
    createElement('p', { className: 'outcome' }, outcome, ` ${ms} ms · ${new Blob([text]).size} B`),
    createElement(
      'details',
      {},
      createElement('summary', { textContent: label }),
      createElement('pre', { textContent: lines.join('\n') }),
    ),
    createElement('pre', { className: 'body', tabIndex: 0, textContent: body.slice(0, 100_000) }),
  ]
}
