// The lookups of filters, named as in Django: which types of values each compares, and how a form labels it.

import type { Field, FieldType } from '../../fields/field.ts'

const textLookups = ['iexact', 'contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'] as const

/** How a filter compares; `exact` is the one without a suffix. */
export type Comparing =
  | 'exact'
  | 'in'
  | 'isnull'
  | (typeof textLookups)[number]
  | 'gt'
  | 'gte'
  | 'lt'
  | 'lte'
  | 'range'
  | 'date'
  | 'year'

/** A lookup that a resource declares. `not` is the negation of `exact`. */
export type Lookup = Comparing | 'not' | `not__${Exclude<Comparing, 'exact' | 'isnull'>}`

/** A lookup, and whether it finds the rows that its comparison does not find. */
export interface ParsedLookup {
  readonly comparing: Comparing
  readonly negated: boolean
}

/** Splits the name of a lookup. */
export function parseLookup(lookup: Lookup): ParsedLookup {
  if (lookup === 'not') return { comparing: 'exact', negated: true }
  const negated = lookup.startsWith('not__')
  return { comparing: (negated ? lookup.slice('not__'.length) : lookup) as Comparing, negated }
}

const textTypes: readonly FieldType[] = ['string', 'email', 'slug', 'url']
const orderedTypes: readonly FieldType[] = ['integer', 'float', 'decimal', 'date', 'time', 'datetime', 'duration']
const jsonTypes: readonly FieldType[] = ['list', 'nested object', 'json']
const itemTypes: readonly FieldType[] = [...textTypes, 'uuid', 'choice', 'integer']

interface LookupKind {
  /** Follows the field's label in forms. */
  readonly label: string
  readonly fits: (value: ComparedType) => boolean
}

/** A value as lookups compare it. */
export interface ComparedType {
  readonly type: FieldType
  /** The field of each item of a list. */
  readonly child?: Field | undefined
  /** True: the value is the key of a related object. */
  readonly isKey?: boolean
}

const fitsAny = () => true
const fitsComparable = ({ type }: ComparedType) => !jsonTypes.includes(type)
const fitsList = ({ type }: ComparedType) => fitsComparable({ type }) && type !== 'boolean' && type !== 'datetime'
/** Whether values are texts. */
export const isText = ({ type }: ComparedType): boolean => textTypes.includes(type)
const fitsOrdered = ({ type }: ComparedType) => orderedTypes.includes(type)
const hasTextItems = ({ type, child }: ComparedType) =>
  type === 'list' && child !== undefined && child.relation === undefined && itemTypes.includes(child.type)

/** All comparisons, by name. */
export const comparisons: Readonly<Record<Comparing, LookupKind>> = {
  exact: { label: '', fits: fitsComparable },
  in: { label: 'one of', fits: fitsList },
  isnull: { label: 'empty', fits: fitsAny },
  iexact: { label: 'in any case', fits: isText },
  contains: { label: 'contains', fits: value => isText(value) || hasTextItems(value) },
  icontains: { label: 'contains, in any case', fits: isText },
  startswith: { label: 'starts with', fits: isText },
  istartswith: { label: 'starts with, in any case', fits: isText },
  endswith: { label: 'ends with', fits: isText },
  iendswith: { label: 'ends with, in any case', fits: isText },
  gt: { label: 'more than', fits: fitsOrdered },
  gte: { label: 'at least', fits: fitsOrdered },
  lt: { label: 'less than', fits: fitsOrdered },
  lte: { label: 'at most', fits: fitsOrdered },
  range: { label: 'between', fits: fitsOrdered },
  date: { label: 'on the day', fits: ({ type }) => type === 'datetime' },
  year: { label: 'in the year', fits: ({ type }) => type === 'date' || type === 'datetime' },
}

const keyComparisons: readonly Comparing[] = ['exact', 'in', 'isnull']

/** Throws if the lookup does not exist or does not fit; the message names those that fit. */
export function checkLookup(lookup: string, value: ComparedType): void {
  const fitting = (Object.keys(comparisons) as Comparing[]).filter(
    name => comparisons[name].fits(value) && (!value.isKey || keyComparisons.includes(name)),
  )
  if (fitting.some(name => [name, negate(name)].includes(lookup as Lookup))) return
  const exists = (Object.keys(comparisons) as Comparing[]).some(name => [name, negate(name)].includes(lookup as Lookup))
  const problem = exists
    ? `the lookup "${lookup}" does not fit ${value.isKey ? 'a relation' : `a value of the type ${value.type}`}`
    : `there is no lookup "${lookup}"`
  throw new Error(`${problem}: use ${[...fitting, ...fitting.flatMap(name => negate(name) ?? [])].join(', ')}`)
}

function negate(comparing: Comparing): Lookup | undefined {
  if (comparing === 'isnull') return undefined
  return comparing === 'exact' ? 'not' : `not__${comparing}`
}

/** Whether the lookup ignores the case of ASCII letters. */
export const ignoresCase = (lookup: Comparing): boolean => lookup.startsWith('i') && isTextLookup(lookup)

/** Whether the lookup compares with any text, which the field itself might refuse as a value. */
export const isTextLookup = (lookup: Comparing): boolean => (textLookups as readonly Comparing[]).includes(lookup)
