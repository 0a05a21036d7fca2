// JSON for people: indented, coloured by kind, with its URLs as links. Everything from it is text, or a link to http.

import { html } from 'ghtml'

/** The HTML of a JSON value. `own` is the origin of this service: links to it are followed as they are. */
export function jsonView(value: unknown, indent = ''): string {
  if (Array.isArray(value)) return brackets('[', ']', indent, value, item => jsonView(item, `${indent}  `))
  if (typeof value === 'object' && value !== null && !isRaw(value))
    return brackets('{', '}', indent, Object.entries(value), ([name, item]) => {
      return `${html`<span class="name">${JSON.stringify(name)}</span>: `}${jsonView(item, `${indent}  `)}`
    })
  return scalar(value)
}

function brackets<Item>(
  open: string,
  close: string,
  indent: string,
  items: readonly Item[],
  show: (item: Item) => string,
): string {
  if (items.length === 0) return open + close
  return `${open}\n${items.map(item => `${indent}  ${show(item)}`).join(',\n')}\n${indent}${close}`
}

// A number that is written with the digits it came with (ECMAScript 2026).
const isRaw = (value: object): boolean => (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value)

function scalar(value: unknown): string {
  const text = JSON.stringify(value)
  if (typeof value !== 'string') return html`<span class="${kindOf(value)}">${text}</span>`
  if (!isLink(value)) return html`<span class="string">${text}</span>`
  return html`<span class="string">"<a href="${value}">${text.slice(1, -1)}</a>"</span>`
}

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value === 'boolean' ? 'boolean' : 'number')

const isLink = (text: string): boolean => /^https?:\/\/[^\s"'<>\\]+$/i.test(text) && URL.canParse(text)
