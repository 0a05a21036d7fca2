// JSON as HTML for people: indented, coloured by type, with http URLs as links. All other values are escaped text. Names are `<b>`
// and strings `<i>`, because a page repeats them more often than anything else.
// Long strings and long lists are truncated, with a note, so that a page stays small.

import { html } from 'ghtml'

export interface JsonView {
  readonly html: string
  /** Whether a string or a list was truncated. */
  readonly isTruncated: boolean
}

export interface JsonViewOptions {
  /** Maximum length of a string, in UTF-16 units; default 2000. */
  readonly maxText?: number
  /** Approximate length of the HTML, in UTF-16 units, after which further items are omitted; default 32 Ki. */
  readonly maxSize?: number
}

/** The HTML of a JSON value. */
export function jsonView(value: unknown, { maxText = 2000, maxSize = 32 * 1024 }: JsonViewOptions = {}): JsonView {
  let sizeLeft = maxSize
  let isTruncated = false
  const nameCache = new Map<string, string>()

  function valueHtml(part: unknown, indent: string): string {
    if (Array.isArray(part)) return bracketsHtml('[]', indent, part, item => valueHtml(item, `${indent}  `))
    if (typeof part === 'object' && part !== null && !isRawNumber(part))
      return bracketsHtml('{}', indent, Object.entries(part), ([name, item]) => {
        return `${countSize(nameHtml(name))}: ${valueHtml(item, `${indent}  `)}`
      })
    return countSize(
      typeof part === 'string' ? textHtml(part) : html`<span class="${findClass(part)}">${quote(part)}</span>`,
    )
  }

  // The objects of a list repeat the same property names, so the HTML of each name is cached.
  function nameHtml(name: string): string {
    let cached = nameCache.get(name)
    if (cached === undefined) {
      cached = html`<b>"${quoteInner(name)}"</b>`
      nameCache.set(name, cached)
    }
    return cached
  }

  function bracketsHtml<Item>(
    [open, close]: string,
    indent: string,
    items: readonly Item[],
    itemHtml: (item: Item) => string,
  ) {
    if (items.length === 0) return `${open}${close}`
    const lines: string[] = []
    for (const item of items) {
      if (sizeLeft <= 0) break
      sizeLeft -= indent.length + 4
      lines.push(`${indent}  ${itemHtml(item)}`)
    }
    const omitted = items.length - lines.length
    if (omitted > 0) isTruncated = true
    const note = omitted > 0 ? [`${indent}  <span class="more">&hellip; ${omitted} more</span>`] : []
    return `${open}\n${[...lines, ...note].join(',\n')}\n${indent}${close}`
  }

  function textHtml(text: string): string {
    const isLong = text.length > maxText
    if (!isLong && isLink(text)) return html`<i>"<a href="${text}">${quoteInner(text)}</a>"</i>`
    if (!isLong) return html`<i>"${quoteInner(text)}"</i>`
    isTruncated = true
    const start = text.slice(0, maxText).replace(/[\uD800-\uDBFF]$/, '')
    return html`<i>${quote(start)}</i> <span class="more">&hellip; ${text.length - start.length} more characters</span>`
  }

  function quote(part: unknown): string {
    const json = JSON.stringify(part)
    // JSON escapes a character with up to six characters.
    const isLong = json.length > 6 * maxText + 2
    if (isLong) isTruncated = true
    return escapeInvisible(isLong ? `${json.slice(0, 6 * maxText)}…` : json)
  }

  const quoteInner = (text: string): string => quote(text).slice(1, -1)

  function countSize(part: string): string {
    sizeLeft -= part.length
    return part
  }

  return { html: valueHtml(value, ''), isTruncated }
}

// Writes control characters, invisible characters and those that change the text direction as JSON escapes.
const escapeInvisible = (json: string): string =>
  json.replace(
    /[\u007F-\u009F\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

// A number that keeps its original digits (ECMAScript 2026).
const isRawNumber = (value: object): boolean =>
  (JSON as unknown as { isRawJSON(value: object): boolean }).isRawJSON(value)

const findClass = (value: unknown): string =>
  value === null ? 'null' : typeof value === 'boolean' ? 'boolean' : 'number'

// The first test is a fast path for an ASCII host and path; parsing any other URL costs more.
const isLink = (text: string): boolean =>
  /^https?:\/\/[\w.-]+(?::\d{1,4})?(?:\/[\w./?=&%~+-]*)?$/i.test(text) ||
  (/^https?:\/\/[^\s"'<>\\\p{Bidi_Control}]+$/iu.test(text) && URL.canParse(text))
