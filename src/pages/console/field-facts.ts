// Says in words what a field accepts: its type, and its limits.

import { html } from 'ghtml'
import type { Choices, Field } from '#core'
import type { Words } from '../html/words.ts'
import type { PageKey } from '../messages/page-messages.ts'

/** The type of a field's values: `string`, `list of integer`, `id of groups`. */
export function formatType(field: Field, words: Words): string {
  const { kind, relation, child, children } = field
  if (relation !== undefined && children === undefined) {
    const value = words('page.value_of', { field: relation.findValueField(), name: relation.target.name })
    return relation.many ? words('page.list_of', { type: value }) : value
  }
  return kind.hasItems && child !== undefined ? words('page.list_of', { type: formatType(child, words) }) : kind.name
}

const limitsOfTexts: Readonly<Record<string, PageKey>> = {
  max_length: 'page.max_length',
  min_length: 'page.min_length',
}
const limitsOfLists: Readonly<Record<string, PageKey>> = { max_length: 'page.max_items', min_length: 'page.min_items' }
const limitsOfAll: Readonly<Record<string, PageKey>> = {
  max_value: 'page.max_value',
  min_value: 'page.min_value',
  max_digits: 'page.max_digits',
  decimal_places: 'page.decimal_places',
  max_size: 'page.max_size',
}

/** Lists the limits of a field's values, one text each. */
export function listLimits({ kind, bounds, nullable }: Field, words: Words): readonly string[] {
  const keys = { ...limitsOfAll, ...(kind.hasItems ? limitsOfLists : limitsOfTexts) }
  const format = new Intl.NumberFormat(words.language)
  const limits = Object.entries(bounds).flatMap(([name, value]) => {
    const isKnown = Object.hasOwn(keys, name) && Number.isFinite(value) && Math.abs(value) < Number.MAX_SAFE_INTEGER
    return isKnown ? [words(keys[name]!, { value: format.format(value) })] : []
  })
  return nullable ? [...limits, words('page.nullable')] : limits
}

/** More choices are folded. A search in the page also finds folded ones. */
const maxOpen = 8
/** More choices are not listed: the reference and OPTIONS have all. */
const maxListed = 40

/** The HTML of the choices. */
export function choicesHtml(choices: Choices, words: Words): string {
  const listed = [...choices].slice(0, maxListed)
  const texts = listed.map(([value, text]) => {
    const label = words.text(text)
    return label === String(value) ? html`${value}` : html`${value} (${label})`
  })
  const more = choices.size - listed.length
  const all = html`<code>!${texts.join(', ')}</code>!${more > 0 ? html` ${words('page.more', { count: more })}` : ''}`
  if (choices.size <= maxOpen) return html`<p>${words('page.choices')} !${all}</p>`
  return html`<details><summary>${words('page.choices_count', { count: choices.size })}</summary><p>!${all}</p></details>`
}
