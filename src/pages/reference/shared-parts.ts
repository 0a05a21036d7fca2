// The parts that the operations of a page share: fields, repeated parameters and header fields, and errors. The page describes each part
// once, and links to it elsewhere.

import { html } from 'ghtml'
import { formatLabel, type JsonSchema, type Parameter, type Response } from '#core'
import { resolveReference } from '#openapi'
import type { Words } from '../html/words.ts'
import { type DescribedChoice, describeLimits, describeType, listChoices } from './describe-value.ts'
import type { ReferenceOperation } from './reference.ts'
import type { MemberRow, ReferenceReader, SharedField, SharedParts } from './reference-reader.ts'

/** Finds the parts that the operations of a page share. */
export function findSharedParts(
  operations: readonly ReferenceOperation[],
  fields: readonly MemberRow[],
  reader: ReferenceReader,
): SharedParts {
  return {
    fields: new Map(fields.map(field => [field.name, describeField(field, reader)])),
    choices: new Map(
      fields.map(({ schema, written = schema, anchor }) => [formatChoicesKey(listChoices(written, reader)), anchor!]),
    ),
    shownNames: fields.filter(({ flags }) => !flags.includes(reader.words('page.write_only'))).map(({ name }) => name),
    rows: findRepeatedRows(operations, reader),
    errors: findUsualErrors(operations, reader),
  }
}

const describeField = (
  { name, schema, written = schema, anchor }: MemberRow,
  reader: ReferenceReader,
): SharedField => ({
  anchor: anchor!,
  meanings: [describeMeaning(name, schema, reader), describeMeaning(name, written, reader)],
  limits: describeLimits(written, reader).join(),
})

function describeMeaning(name: string, schema: JsonSchema, reader: ReferenceReader): string {
  const { title, description } = { ...reader.resolve(schema), ...schema }
  const label = title === formatLabel(name, {}) ? undefined : title
  const choices = listChoices(schema, reader).map(({ value }) => value)
  return JSON.stringify([describeType(schema, reader), label, description, choices])
}

/** Whether the members of an object are fields of the page, and say nothing else. */
export function areFields(rows: readonly MemberRow[], { fields }: SharedParts, reader: ReferenceReader): boolean {
  return rows.every(({ name, schema }) => {
    const field = fields.get(name)
    const limits = describeLimits(schema, reader).join()
    return field?.meanings.includes(describeMeaning(name, schema, reader)) && (limits === '' || limits === field.limits)
  })
}

/** The same for equal choices. */
export const formatChoicesKey = (choices: readonly DescribedChoice[]): string =>
  choices.map(({ value }) => JSON.stringify(value)).join()

/** What a row says: those with the same key are the same. */
export const formatRowKey = ({ name, schema, flags }: MemberRow): string => JSON.stringify([name, schema, flags])

function findRepeatedRows(
  operations: readonly ReferenceOperation[],
  reader: ReferenceReader,
): ReadonlyMap<string, MemberRow> {
  const rows = operations.flatMap(one => [...new Map(listSharable(one, reader).map(row => [formatRowKey(row), row]))])
  const repeated = Map.groupBy(rows, ([key]) => key)
    .entries()
    .filter(([, same]) => same.length > 1)
  const counts = new Map<string, number>()
  return new Map(
    repeated.map(([key, [first]]) => {
      const [, row] = first!
      const count = (counts.get(row.name) ?? 0) + 1
      counts.set(row.name, count)
      const anchor = `parameter-${encodeURIComponent(row.name).replaceAll('%', '.')}${count > 1 ? `-${count}` : ''}`
      return [key, { ...row, anchor }]
    }),
  )
}

const listSharable = ({ operation }: ReferenceOperation, reader: ReferenceReader): readonly MemberRow[] => [
  ...(operation.parameters ?? [])
    .filter(parameter => parameter.in === 'path' || parameter.in === 'header')
    .map(parameter => toRow(parameter, reader.words)),
  ...Object.entries(operation.responses).flatMap(([status, response]) =>
    isSuccess(status) ? listHeaders(resolveReference(reader.document, response), reader) : [],
  ),
]

/** A parameter as a row. */
export const toRow = (
  { name, schema = {}, description = '', required, deprecated, explode }: Parameter,
  words: Words,
): MemberRow => ({
  name,
  schema: { ...schema, title: undefined, description: description === '' ? schema.description : description },
  flags: [
    ...(required ? [words('page.required')] : []),
    ...(deprecated ? [words('reference.deprecated')] : []),
    ...(explode === false ? [words('reference.commas')] : []),
  ],
})

/** Whether responses with this status are successful or redirect. */
export const isSuccess = (status: string): boolean => /^[23]/.test(status)

/** The header fields of a response as rows. */
export const listHeaders = ({ headers = {} }: Response, { document, words }: ReferenceReader): readonly MemberRow[] =>
  Object.entries(headers).map(([name, header]) => {
    const { description, required, schema: value = {} } = resolveReference(document, header)
    return {
      name,
      schema: { ...value, ...(description !== undefined && { description }) },
      flags: required ? [words('reference.always')] : [],
    }
  })

function findUsualErrors(
  operations: readonly ReferenceOperation[],
  { document }: ReferenceReader,
): ReadonlyMap<string, string> {
  const responses = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses)
      .filter(([status]) => !isSuccess(status))
      .map(([status, response]) => [status, resolveReference(document, response).description] as const),
  )
  const byStatus = Map.groupBy(responses, ([status]) => status)
  const statuses = [...byStatus.keys()].toSorted()
  return new Map(statuses.map(status => [status, findMostFrequent(byStatus.get(status)!.map(([, text]) => text))]))
}

function findMostFrequent(texts: readonly string[]): string {
  const groups = [...Map.groupBy(texts, text => text).values()]
  return groups.toSorted((left, right) => right.length - left.length)[0]![0]!
}

/** Links to rows that the page describes elsewhere: `key`, `If-Match`. */
export const rowLinks = (rows: readonly MemberRow[]): string =>
  rows
    .map(
      ({ name, anchor, flags }) =>
        html`<a href="#${anchor!}"><code>${name}</code></a>!${flags.map(flag => html` <small>${flag}</small>`)}`,
    )
    .join(', ')
