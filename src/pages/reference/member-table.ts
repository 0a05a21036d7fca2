// Members of an object as a table: their types, their limits and what they mean. Members of members are folded.

import { html } from 'ghtml'
import { formatLabel, type JsonSchema } from '#core'
import { acceptsNull } from '#openapi'
import type { Words } from '../html/words.ts'
import {
  type DescribedChoice,
  describeLimits,
  describeType,
  findMembers,
  formatValue,
  listChoices,
} from './describe-value.ts'
import type { MemberRow, ReferenceReader } from './reference-reader.ts'
import { areFields, formatChoicesKey, formatRowKey, rowLinks } from './shared-parts.ts'

const maxDepth = 4
/** More choices are folded. */
const maxChoices = 8

/** The HTML of the table. Links to the rows that the page describes elsewhere stand before it. */
export function memberTable(caption: string, all: readonly MemberRow[], reader: ReferenceReader, depth = 0): string {
  const { shared, words } = reader
  const sharedRows = all.flatMap(row => shared?.rows.get(formatRowKey(row)) ?? [])
  const rows = all.filter(row => !shared?.rows.has(formatRowKey(row)))
  const links =
    sharedRows.length === 0
      ? ''
      : html`<p class="known">${caption}: !${rowLinks(sharedRows)}</p>
`
  if (rows.length === 0) return links
  return html`!${links}<table class="members"><caption>${caption}</caption>
<thead><tr><th scope="col">${words('reference.name_and_type')}</th><th scope="col">${words('reference.meaning')}</th></tr></thead>
<tbody>
!${rows.map(row => rowHtml(row, reader, depth))}</tbody></table>
`
}

/** The HTML of the members of the objects that a schema describes; empty if there are none. */
export function schemaTable(caption: string, schema: JsonSchema, reader: ReferenceReader, depth = 0): string {
  const members = depth > maxDepth ? undefined : findMembers(schema, reader)
  if (members === undefined) return ''
  const rows = listRows(members, reader.words)
  const { shared, words } = reader
  if (shared === undefined || rows.length === 0 || !areFields(rows, shared, reader))
    return memberTable(caption, rows, reader, depth)
  const names = new Set(rows.map(({ name }) => name))
  if (shared.shownNames.every(name => names.has(name)))
    return html`<p class="known"><a href="#fields">${words('reference.all_fields')}</a></p>`
  return html`<p class="known">!${rowLinks(rows.map(row => ({ ...row, anchor: shared.fields.get(row.name)!.anchor })))}</p>`
}

/** The members of an object that a schema describes. */
function listRows({ properties, required }: JsonSchema, words: Words): readonly MemberRow[] {
  const names = new Set(required as readonly string[] | undefined)
  return Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => ({
    name,
    schema,
    flags: names.has(name) ? [words('page.required')] : [],
  }))
}

function rowHtml(
  { name, schema, written = schema, flags, anchor }: MemberRow,
  reader: ReferenceReader,
  depth: number,
): string {
  const label =
    anchor === undefined
      ? html`<code>${name}</code>`
      : html`<code>${name}</code> <a class="anchor" href="#${anchor}" aria-label="${reader.words('reference.link_to', { name })}">#</a>`
  return html`<tr><th scope="row" !${anchor === undefined ? '' : html`id="${anchor}"`}>!${label}<span class="type">${formatType(schema, written, reader)}</span></th><td>!${flagsHtml([...flags, ...listFlags(written, reader)])}!${meaningHtml(name, { ...schema, ...written }, written, reader)}!${innerTable(name, schema, reader, depth)}</td></tr>
`
}

const flagsHtml = (flags: readonly string[]): string =>
  flags.length === 0
    ? ''
    : html`<span class="flags">!${flags.map(flag => html`<span class="flag">${flag}</span> `)}</span>`

function listFlags(schema: JsonSchema, reader: ReferenceReader): readonly string[] {
  const { words } = reader
  const { default: value, deprecated, 'x-unique': unique } = reader.resolve(schema)
  return [
    ...(acceptsNull(schema, reader) ? [words('page.nullable')] : []),
    ...(unique === true ? [words('reference.unique')] : []),
    ...(deprecated === true ? [words('reference.deprecated')] : []),
    ...(value === undefined ? [] : [words('reference.default', { value: formatValue(value).slice(0, 80) || '""' })]),
  ]
}

function formatType(schema: JsonSchema, written: JsonSchema, reader: ReferenceReader): string {
  const [shownType, writtenType] = [describeType(schema, reader), describeType(written, reader)]
  return shownType === writtenType
    ? shownType
    : reader.words('reference.written_as', { shown: shownType, written: writtenType })
}

function meaningHtml(name: string, texts: JsonSchema, schema: JsonSchema, reader: ReferenceReader): string {
  const { title, description } = { ...reader.resolve(texts), ...texts }
  // A derived label says only the name.
  const label = title === formatLabel(name, {}) ? undefined : title
  const said = [label, description].filter(text => typeof text === 'string' && text !== '')
  const limits = describeLimits(schema, reader)
  return html`!${said.length === 0 ? '' : html`<p>${said.join(': ')}</p>`}!${limits.length === 0 ? '' : html`<p class="limits">${limits.join(', ')}</p>`}!${choicesHtml(listChoices(schema, reader), reader)}`
}

function choicesHtml(choices: readonly DescribedChoice[], { words, shared }: ReferenceReader): string {
  if (choices.length === 0) return ''
  const isLong = choices.length > maxChoices
  const count = words('reference.choices', { count: choices.length })
  const anchor = isLong ? shared?.choices.get(formatChoicesKey(choices)) : undefined
  if (anchor !== undefined) return html`<p><a href="#${anchor}">${count}</a></p>`
  const hasLabel = ({ value, label }: DescribedChoice) => label !== '' && label !== value
  const list =
    isLong && !choices.some(hasLabel)
      ? html`<p><code>${choices.map(({ value }) => value).join(', ')}</code></p>`
      : html`<ul class="choices">!${choices.map(choice => html`<li><code>${choice.value}</code>!${hasLabel(choice) ? html` ${choice.label}` : ''}</li>`)}</ul>`
  return isLong ? html`<details><summary>${count}</summary>!${list}</details>` : list
}

function innerTable(name: string, schema: JsonSchema, reader: ReferenceReader, depth: number): string {
  const title = reader.words('reference.members', { name })
  const table = schemaTable(title, schema, reader, depth + 1)
  return table === '' ? '' : html`<details><summary>${title}</summary>!${table}</details>`
}
