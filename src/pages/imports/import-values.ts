// The cells of a file as the values of bodies: names of related objects become their keys, labels of choices their values.

import { type Field, findChoice, type RelatedOption, type RequestContext, type View } from '#core'
import { listSeparator } from '../download/download-columns.ts'
import type { Words } from '../html/words.ts'
import { type ImportTarget, setValue } from './import-targets.ts'
import type { ImportTable } from './read-table.ts'

/** The body of one row, and the errors of its cells by column. */
export interface ConvertedRow {
  readonly body: Readonly<Record<string, unknown>>
  readonly errors: ReadonlyMap<number, string>
}

type Columns = readonly (ImportTarget | undefined)[]

/** Converts all rows. `isChange`: whether a row changes an object, whose empty cells empty its fields. */
export async function convertRows(
  { rows }: ImportTable,
  columns: Columns,
  isChange: (cells: readonly string[]) => boolean,
  { view, context, words }: { readonly view: View; readonly context: RequestContext; readonly words: Words },
): Promise<readonly ConvertedRow[]> {
  const finders = await Promise.all(
    columns.map(async (target, index) => {
      if (target?.field.relation === undefined) return undefined
      const texts = rows.flatMap(({ cells }) => splitItems(cells[index]!, target.field))
      return findRelated(target.field, new Set(texts), view, context)
    }),
  )
  return rows.map(({ cells }) => {
    const body: Record<string, unknown> = {}
    const errors = new Map<number, string>()
    const changes = isChange(cells)
    for (const [index, target] of columns.entries()) {
      if (target === undefined) continue
      const value = convertCell(cells[index]!, target.field, { words, changes, find: finders[index] })
      if (value instanceof Unknown)
        errors.set(index, words('page.import_unknown', { label: target.label, text: value.text }))
      else if (value !== undefined) setValue(body, target, value)
    }
    return { body, errors }
  })
}

/** A name that no related object has, or several have. */
class Unknown {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type FindRelated = (text: string) => string | undefined

interface Conversion {
  readonly words: Words
  readonly changes: boolean
  readonly find: FindRelated | undefined
}

function convertCell(text: string, field: Field, conversion: Conversion): unknown {
  const isList = field.relation?.many === true || field.kind.hasItems === true
  if (text.trim() === '') return emptyValue(field, isList, conversion.changes)
  if (isList) {
    const items = splitItems(text, field).map(item => convertItem(item, field.child ?? field, conversion))
    return items.find(item => item instanceof Unknown) ?? items
  }
  if (field.kind.isJson && field.relation === undefined && field.choices === undefined) return parseJson(text)
  return convertItem(text, field, conversion)
}

// A new object without the value gets the default.
function emptyValue(field: Field, isList: boolean, changes: boolean): unknown {
  if (!changes || field.writeOnly) return undefined
  if (field.nullable) return null
  return isList ? [] : ''
}

function convertItem(text: string, { relation, choices, kind }: Field, { words, find }: Conversion): unknown {
  const trimmed = text.trim()
  if (relation !== undefined && find !== undefined) return find(trimmed) ?? new Unknown(trimmed)
  if (choices !== undefined) {
    const isLabel = ([, label]: readonly [unknown, Parameters<Words['text']>[0]]) =>
      words.text(label).toLowerCase() === trimmed.toLowerCase()
    return findChoice(choices, trimmed) ?? [...choices].find(isLabel)?.[0] ?? trimmed
  }
  if (kind.isCheckbox) return booleans(words).get(trimmed.toLowerCase()) ?? trimmed
  if (kind.shown === 'date') return trimmed.replace(germanDate, '$3-$2-$1')
  if (kind.shown === 'time')
    return trimmed
      .replace(germanDate, '$3-$2-$1')
      .replace(/^(\d{4}-\d\d-\d\d)$/, '$1 00:00')
      .replace(plainTime, '$1T$2Z')
  if (kind.shown === 'decimal') return trimmed.replace(/^(-?\d+),(\d+)$/, '$1.$2')
  return text
}

const germanDate = /^(\d\d)\.(\d\d)\.(\d{4})/
// Times of files are in UTC.
const plainTime = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)$/

const booleans = (words: Words): ReadonlyMap<string, boolean> =>
  new Map([
    [words('page.yes').toLowerCase(), true],
    [words('page.no').toLowerCase(), false],
  ])

const splitItems = (text: string, { relation, kind }: Field): readonly string[] =>
  relation?.many === true || kind.hasItems === true
    ? text
        .split(listSeparator.trim())
        .map(item => item.trim())
        .filter(item => item !== '')
    : [text.trim()].filter(item => item !== '')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const maxOptions = 1000
/** The most names that are searched one by one, if the objects are more. */
const maxSearches = 200

// Finds related objects by the values that bodies take, or by their names; undefined if the caller may not list them.
async function findRelated(
  field: Field,
  texts: ReadonlySet<string>,
  view: View,
  context: RequestContext,
): Promise<FindRelated | undefined> {
  const all = await view.findRelatedOptions(field, { limit: maxOptions + 1 }, context)
  if (all === undefined) return undefined
  const options = [...all]
  if (all.length > maxOptions) {
    const values = [...texts]
    options.push(...((await view.findRelatedOptions(field, { values, limit: values.length }, context)) ?? []))
    const optionTexts = new Set(options.flatMap(({ value, name }) => [value, name]))
    for (const search of values.filter(text => !optionTexts.has(text)).slice(0, maxSearches))
      options.push(...((await view.findRelatedOptions(field, { search, limit: 50 }, context)) ?? []))
  }
  return createFinder(options)
}

function createFinder(options: readonly RelatedOption[]): FindRelated {
  const values = new Set(options.map(({ value }) => value))
  const byName = Map.groupBy(options, ({ name }) => name)
  return text => {
    if (values.has(text)) return text
    const named = new Set(byName.get(text)?.map(({ value }) => value))
    return named.size === 1 ? [...named][0] : undefined
  }
}
