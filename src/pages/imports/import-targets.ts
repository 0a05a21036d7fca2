// The fields that the columns of a file can set, and which column sets which field.

import { type Field, type Fields, formatLabel, isObject, readEnglish } from '#core'
import type { Words } from '../html/words.ts'

/** A field, or one part of a field with several columns. */
export interface ImportTarget {
  /** The name in the forms of the pages: `amount`, or `price.amount`. */
  readonly name: string
  readonly path: readonly [field: string, part?: string]
  readonly label: string
  readonly field: Field
}

/** Lists the targets: the fields that a new object takes, except files and children; and the field that names an object. */
export function listTargets(
  fields: Fields,
  key: readonly [name: string, field: Field] | undefined,
  words: Words,
): readonly ImportTarget[] {
  const own = Object.entries(fields).flatMap(([name, field]): readonly ImportTarget[] => {
    if (!isImportable(field)) return []
    const label = words.label(name, field)
    if (field.parts === undefined) return [{ name, path: [name], label, field }]
    return Object.entries(field.parts).map(([part, of]) => ({
      name: `${name}.${part}`,
      path: [name, part],
      label: `${label}: ${words.label(part, of)}`,
      field: of,
    }))
  })
  if (key === undefined || own.some(({ name }) => name === key[0])) return own
  return [{ name: key[0], path: [key[0]], label: words.label(...key), field: key[1] }, ...own]
}

const isImportable = ({ readOnly, file, child, childStorage, writesChildren, children, parts }: Field): boolean =>
  !readOnly &&
  !file &&
  !child?.file &&
  !childStorage &&
  !writesChildren &&
  (children === undefined || parts !== undefined)

/** Finds the target of each column by its heading: the name of the field, or its label; undefined for a column that sets nothing. */
export function matchColumns(
  headers: readonly string[],
  targets: readonly ImportTarget[],
): readonly (ImportTarget | undefined)[] {
  const taken = new Set<ImportTarget>()
  return headers.map(header => {
    const text = normalize(header)
    const match = targets.find(target => !taken.has(target) && listNames(target).some(name => normalize(name) === text))
    if (match !== undefined) taken.add(match)
    return match
  })
}

const listNames = ({ name, label, path, field }: ImportTarget): readonly string[] => [
  name,
  label,
  ...(path.length === 1 ? [readEnglish(formatLabel(name, field))] : []),
]

// A download adds the zone to the labels of times, and the name of the field to labels that are repeated.
const normalize = (text: string): string =>
  text
    .trim()
    .replace(/\([\w.]+\)$/, '')
    .replace(/[\s_]+/g, ' ')
    .trim()
    .toLowerCase()

/** Sets the value of a target in the body of a request. */
export function setValue(body: Record<string, unknown>, { path: [field, part] }: ImportTarget, value: unknown): void {
  if (part === undefined) body[field] = value
  else body[field] = { ...(isObject(body[field]) ? body[field] : {}), [part]: value }
}
