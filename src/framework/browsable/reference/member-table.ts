// Members of an object as a table: their types, their limits and what they mean. Members of members are folded.

import { html } from 'ghtml'
import type { JsonSchema } from '../../openapi/json-schema.ts'
import { acceptsNull, type SchemaReader } from '../../openapi/schema-reader.ts'
import {
  type DescribedChoice,
  describeLimits,
  describeType,
  findMembers,
  formatValue,
  listChoices,
} from './describe-value.ts'

/** A row of the table. */
export interface MemberRow {
  readonly name: string
  readonly schema: JsonSchema
  /** The schema in bodies, if it is another one. */
  readonly written?: JsonSchema | undefined
  /** Short facts, such as `required`. */
  readonly flags: readonly string[]
  /** The id of the row, for links; undefined for none. */
  readonly anchor?: string
}

const maxDepth = 4
/** More choices are folded. */
const maxChoices = 8

/** The HTML of the table. */
export function memberTable(caption: string, rows: readonly MemberRow[], reader: SchemaReader, depth = 0): string {
  if (rows.length === 0) return ''
  return html`<table class="members"><caption>${caption}</caption>
<thead><tr><th scope="col">Name and type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
!${rows.map(row => rowHtml(row, reader, depth))}</tbody></table>
`
}

/** The HTML of the members of the objects that a schema describes; empty if there are none. */
export function schemaTable(caption: string, schema: JsonSchema, reader: SchemaReader, depth = 0): string {
  const members = depth > maxDepth ? undefined : findMembers(schema, reader)
  return members === undefined ? '' : memberTable(caption, listRows(members), reader, depth)
}

/** The members of an object that a schema describes. */
export function listRows({ properties, required }: JsonSchema): readonly MemberRow[] {
  const names = new Set(required as readonly string[] | undefined)
  return Object.entries((properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([name, schema]) => ({
    name,
    schema,
    flags: names.has(name) ? ['required'] : [],
  }))
}

function rowHtml(
  { name, schema, written = schema, flags, anchor }: MemberRow,
  reader: SchemaReader,
  depth: number,
): string {
  const label =
    anchor === undefined
      ? html`<code>${name}</code>`
      : html`<code>${name}</code> <a class="anchor" href="#${anchor}" aria-label="Link to ${name}">#</a>`
  return html`<tr><th scope="row" !${anchor === undefined ? '' : html`id="${anchor}"`}>!${label}<span class="type">${formatType(schema, written, reader)}</span></th><td>!${flagsHtml([...flags, ...listFlags(written, reader)])}!${meaningHtml({ ...schema, ...written }, written, reader)}!${innerTable(name, schema, reader, depth)}</td></tr>
`
}

const flagsHtml = (flags: readonly string[]): string =>
  flags.length === 0
    ? ''
    : html`<span class="flags">!${flags.map(flag => html`<span class="flag">${flag}</span> `)}</span>`

function listFlags(schema: JsonSchema, reader: SchemaReader): readonly string[] {
  const { default: value, deprecated, 'x-unique': unique } = reader.resolve(schema)
  return [
    ...(acceptsNull(schema, reader) ? ['nullable'] : []),
    ...(unique === true ? ['unique'] : []),
    ...(deprecated === true ? ['deprecated'] : []),
    ...(value === undefined ? [] : [`default ${formatValue(value) === '' ? '""' : formatValue(value).slice(0, 80)}`]),
  ]
}

function formatType(schema: JsonSchema, written: JsonSchema, reader: SchemaReader): string {
  const [shownType, writtenType] = [describeType(schema, reader), describeType(written, reader)]
  return shownType === writtenType ? shownType : `${shownType}, written as ${writtenType}`
}

function meaningHtml(texts: JsonSchema, schema: JsonSchema, reader: SchemaReader): string {
  const { title, description } = { ...reader.resolve(texts), ...texts }
  const said = [title, description].filter(text => typeof text === 'string' && text !== '')
  const limits = describeLimits(schema, reader)
  return html`!${said.length === 0 ? '' : html`<p>${said.join(': ')}</p>`}!${limits.length === 0 ? '' : html`<p class="limits">${limits.join(', ')}</p>`}!${choicesHtml(listChoices(schema, reader))}`
}

/** The HTML of the choices of a value. */
export function choicesHtml(choices: readonly DescribedChoice[]): string {
  if (choices.length === 0) return ''
  const list = html`<ul class="choices">!${choices.map(({ value, label }) => html`<li><code>${value}</code>!${label === '' || label === value ? '' : html` ${label}`}</li>`)}</ul>`
  return choices.length > maxChoices
    ? html`<details><summary>${choices.length} choices</summary>!${list}</details>`
    : list
}

function innerTable(name: string, schema: JsonSchema, reader: SchemaReader, depth: number): string {
  const table = schemaTable(`Members of ${name}`, schema, reader, depth + 1)
  return table === '' ? '' : html`<details><summary>Members of <code>${name}</code></summary>!${table}</details>`
}
