// Reads conditions that are data, such as JSON of a column: each name must be that of a column, a relation or a lookup that fits, and each
// value one of its column. Bounds keep the SQL small.

import { isObject } from '../../base/is-object.ts'
import type { SqlValue } from '../../database/database.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { emptyContext, type Field } from '../../fields/field.ts'
import { isText, type PositiveLookup } from '../../fields/kinds/kind.ts'
import { parseText } from '../../fields/kinds/text.ts'
import { readValue } from '../../fields/read-fields.ts'
import { toStoredValue } from '../../fields/storage.ts'
import type { Condition } from '../../tables/condition.ts'
import { findRelation, requireRelation } from '../../tables/find-relation.ts'
import type { Table } from '../../tables/table.ts'
import { checkLookup, isTextLookup, parseLookup, prepareText } from '../query/filters/lookups.ts'
import { findMaxLength, maxTextLength } from '../query/filters/read-values.ts'
import { describeColumn, splitLookup } from './compile-condition.ts'

/** The most conditions of a caller, parts of one, levels of one, and values of one `in`. */
const [maxConditions, maxParts, maxLevels, maxValues] = [200, 100, 10, 1000]

/** The texts of what the application loaded: JSON texts, as SQLite stores them, or values. */
export const listStored = (loaded: readonly unknown[]): readonly string[] => [
  ...new Set(loaded.map(each => (typeof each === 'string' ? each : (JSON.stringify(each) ?? 'null')))),
]

/** Reads the JSON of a condition, or of several, of which one must hold. Rejects with an Error that names what is wrong. */
export async function readStored(text: string, table: Table): Promise<readonly string[]> {
  const given: unknown = JSON.parse(text)
  const texts: string[] = []
  for (const each of Array.isArray(given) ? given : [given])
    texts.push(JSON.stringify(await readCondition(each, { root: table, table, count: { parts: 0 }, level: 0 })))
  return texts
}

/** The text of the conditions of which one must hold: equal rights have equal texts. Empty if there are none. */
export function formatStored(texts: readonly string[], report: (error: Error) => void): string {
  const found = [...new Set(texts)].toSorted()
  if (found.includes('{}')) return '{}'
  if (found.length > maxConditions) {
    report(new Error(`a caller has ${found.length} stored conditions, which is more than ${maxConditions}`))
    return ''
  }
  return found.length < 2 ? (found[0] ?? '') : `{"or":[${found.join()}]}`
}

interface Reading {
  readonly root: Table
  readonly table: Table
  readonly count: { parts: number }
  readonly level: number
}

async function readCondition(given: unknown, reading: Reading): Promise<Condition> {
  if (!isObject(given)) throw new Error(`a condition must be an object, not ${JSON.stringify(given)}`)
  if (reading.level >= maxLevels) throw new Error(`a condition has more than ${maxLevels} levels`)
  const inner = { ...reading, level: reading.level + 1 }
  const parts: [string, Condition[string]][] = []
  for (const [name, part] of Object.entries(splitPaths(given, inner))) {
    if (++reading.count.parts > maxParts) throw new Error(`a condition has more than ${maxParts} parts`)
    parts.push([name, await readPart(name, part, inner)])
  }
  return Object.fromEntries(parts)
}

async function readPart(name: string, part: unknown, reading: Reading): Promise<Condition[string]> {
  const { root, table } = reading
  if (name === 'and' || name === 'or') {
    if (!Array.isArray(part) || part.length === 0) throw new Error(`"${name}" must be a list of conditions`)
    const conditions: Condition[] = []
    for (const each of part) conditions.push(await readCondition(each, reading))
    return conditions
  }
  if (name === 'not') return readCondition(part, reading)
  const [first, ...rest] = name.split('.') as [string, ...string[]]
  if (rest.length === 0 && !isObject(part)) return readComparison(name, part, reading)
  const related = { ...reading, table: requireRelation(root, table, first).table }
  if (rest.length === 0) return readCondition(part, related)
  const path = rest.join('.')
  return (await readCondition({ [path]: part }, related))[path]!
}

/** Paths as Django writes them, `site__region`: the parts that begin with one relation are about one related row. */
function splitPaths(given: Readonly<Record<string, unknown>>, { root, table }: Reading) {
  const parts: [string, unknown][] = []
  const related = new Map<string, Record<string, unknown>>()
  for (const [name, part] of Object.entries(given)) {
    const end = name.indexOf('__')
    const relation = name.slice(0, end)
    const isPath = end > 0 && !isComparison(table, name) && findRelation(root, table, relation) !== undefined
    if (isPath) related.set(relation, { ...related.get(relation), [name.slice(end + 2)]: part })
    else parts.push([name, part])
  }
  for (const [relation, condition] of related) {
    if (Object.hasOwn(given, relation)) throw new Error(`write "${relation}" once`)
    parts.push([relation, condition])
  }
  return Object.fromEntries(parts)
}

function isComparison(table: Table, name: string): boolean {
  try {
    return splitLookup(table, name).length > 0
  } catch {
    return false
  }
}

async function readComparison(name: string, given: unknown, reading: Reading): Promise<SqlValue | SqlValue[]> {
  const [column, lookup] = splitLookup(reading.table, name)
  const { field, kind } = describeColumn(reading, column)
  const place = `table "${reading.table.name}": condition "${name}"`
  try {
    checkLookup(lookup, { kind })
    const { positive } = parseLookup(lookup as Parameters<typeof parseLookup>[0])
    if (given === null && positive === 'exact') return null
    if (positive === 'isnull' && typeof given === 'boolean') return given
    if (positive === 'isnull') throw new Error('write true or false')
    if (positive !== 'in' && positive !== 'range') return await readOne(given, field, positive)
    if (!Array.isArray(given)) throw new Error('write a list of values')
    if (positive === 'range' ? given.length !== 2 : given.length > maxValues)
      throw new Error(positive === 'range' ? 'write two values' : `write at most ${maxValues} values`)
    const values: SqlValue[] = []
    for (const each of given) values.push(await readOne(each, field, positive))
    return values
  } catch (error) {
    throw new Error(`${place}: ${describeError(error)}`)
  }
}

async function readOne(given: unknown, field: Field, lookup: PositiveLookup): Promise<NonNullable<SqlValue>> {
  if (isTextLookup(lookup)) {
    const text = parseText(requireText(given), { trim: false, max: findMaxLength(lookup) })
    // Throws for a regular expression that is refused.
    prepareText(lookup, text)
    return text
  }
  const value = isText(field.kind)
    ? parseText(requireText(given), { trim: false, blank: true, max: maxTextLength })
    : await readValue(field, given, emptyContext)
  if (!isScalar(value)) throw new Error('the values of this column cannot be compared')
  // Throws for a value that the column cannot store.
  toStoredValue(field, value)
  return value
}

const isScalar = (value: unknown): value is NonNullable<SqlValue> =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'

function requireText(given: unknown): string {
  if (typeof given !== 'string') throw new Error('write a text')
  return given
}

const describeError = (error: unknown): string =>
  error instanceof ValidationError ? JSON.stringify(error.errors) : (error as Error).message
