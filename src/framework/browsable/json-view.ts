// JSON for people: indented, coloured by kind, with its URLs as links. Everything from it is text, or a link to http.
// A page stays small: long texts and long lists are cut, and say so.

import { html } from 'ghtml'

export interface JsonView {
  readonly html: string
  /** Is there more than this? */
  readonly isCut: boolean
}

export interface JsonViewOptions {
  /** UTF-16 units of the longest text; default 2000. */
  readonly longestText?: number
  /** UTF-16 units of HTML, more or less, after which no further item is begun; default 32 Ki. */
  readonly size?: number
}

/** The HTML of a JSON value. */
export function jsonView(value: unknown, { longestText = 2000, size = 32 * 1024 }: JsonViewOptions = {}): JsonView {
  let left = size
  let isCut = false
  const names = new Map<string, string>()

  function show(shown: unknown, indent: string): string {
    if (Array.isArray(shown)) return brackets('[]', indent, shown, item => show(item, `${indent}  `))
    if (typeof shown === 'object' && shown !== null && !isRaw(shown))
      return brackets('{}', indent, Object.entries(shown), ([name, item]) => {
        return `${count(nameHtml(name))}: ${show(item, `${indent}  `)}`
      })
    return count(typeof shown === 'string' ? text(shown) : html`<span class="${kindOf(shown)}">${quote(shown)}</span>`)
  }

  // The objects of a list have the same names.
  function nameHtml(name: string): string {
    let shown = names.get(name)
    if (shown === undefined) {
      shown = html`<span class="name">"${inQuotes(name)}"</span>`
      names.set(name, shown)
    }
    return shown
  }

  function brackets<Item>(
    [open, close]: string,
    indent: string,
    items: readonly Item[],
    showItem: (item: Item) => string,
  ) {
    if (items.length === 0) return `${open}${close}`
    const lines: string[] = []
    for (const item of items) {
      if (left <= 0) break
      left -= indent.length + 4
      lines.push(`${indent}  ${showItem(item)}`)
    }
    const rest = items.length - lines.length
    if (rest > 0) isCut = true
    const end = rest > 0 ? [`${indent}  <span class="more">… ${rest} more</span>`] : []
    return `${open}\n${[...lines, ...end].join(',\n')}\n${indent}${close}`
  }

  function text(whole: string): string {
    const isLong = whole.length > longestText
    if (!isLong && isLink(whole)) return html`<span class="string">"<a href="${whole}">${inQuotes(whole)}</a>"</span>`
    if (!isLong) return html`<span class="string">"${inQuotes(whole)}"</span>`
    isCut = true
    const start = whole.slice(0, longestText).replace(/[\uD800-\uDBFF]$/, '')
    return html`<span class="string">${quote(start)}</span> <span class="more">… ${whole.length - start.length} more characters</span>`
  }

  function quote(value: unknown): string {
    const json = JSON.stringify(value)
    const isLong = json.length > 6 * longestText + 2
    if (isLong) isCut = true
    return visible(isLong ? `${json.slice(0, 6 * longestText)}…` : json)
  }

  const inQuotes = (text: string): string => quote(text).slice(1, -1)

  function count(shown: string): string {
    left -= shown.length
    return shown
  }

  return { html: show(value, ''), isCut }
}

// Characters that change the direction of others, or are nothing to see, as JSON may write them.
const visible = (json: string): string =>
  json.replace(
    /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

// A number that is written with the digits it came with (ECMAScript 2026).
const isRaw = (value: object): boolean => (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value)

const kindOf = (value: unknown): string => (value === null ? 'null' : typeof value === 'boolean' ? 'boolean' : 'number')

// Most are an ASCII host and a path; whether another one is a URL is dearer to say.
const isLink = (text: string): boolean =>
  /^https?:\/\/[\w.-]+(?::\d{1,4})?(?:\/[\w./?=&%~+-]*)?$/i.test(text) ||
  (/^https?:\/\/[^\s"'<>\\\p{Bidi_Control}]+$/iu.test(text) && URL.canParse(text))
