// The lookups of filters, named as in Django: which types of values each compares, and how a form labels it.

import type { Field, FieldType } from '../../fields/field.ts'
import { isStoredAsJson } from '../storage.ts'

const textLookups = ['iexact', 'contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith'] as const

/** How a filter compares; `exact` is the one without a suffix. */
export type PositiveLookup =
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
export type Lookup = PositiveLookup | 'not' | `not__${Exclude<PositiveLookup, 'exact' | 'isnull'>}`

/** A lookup, and whether it is negated: it then finds the rows that the positive one does not find. */
export interface ParsedLookup {
  readonly positive: PositiveLookup
  readonly negated: boolean
}

/** Splits the name of a lookup. */
export function parseLookup(lookup: Lookup): ParsedLookup {
  if (lookup === 'not') return { positive: 'exact', negated: true }
  const negated = lookup.startsWith('not__')
  return { positive: (negated ? lookup.slice('not__'.length) : lookup) as PositiveLookup, negated }
}

const textTypes: readonly FieldType[] = ['string', 'email', 'slug', 'url']
const orderedTypes: readonly FieldType[] = ['integer', 'float', 'decimal', 'date', 'time', 'datetime', 'duration']
const itemTypes: readonly FieldType[] = [...textTypes, 'uuid', 'choice', 'integer']

interface LookupKind {
  /** Follows the field's label in forms. */
  readonly label: string
  readonly fitsType: (value: ComparedType) => boolean
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
const fitsComparable = (value: ComparedType) => !isStoredAsJson(value)
const fitsList = ({ type }: ComparedType) => !isStoredAsJson({ type }) && type !== 'boolean' && type !== 'datetime'
/** Whether values are texts. */
export const isText = ({ type }: ComparedType): boolean => textTypes.includes(type)
const fitsOrdered = ({ type }: ComparedType) => orderedTypes.includes(type)
const hasTextItems = ({ type, child }: ComparedType) =>
  type === 'list' && child !== undefined && child.relation === undefined && itemTypes.includes(child.type)

/** All lookupKinds, by name. */
export const lookupKinds: Readonly<Record<PositiveLookup, LookupKind>> = {
  exact: { label: '', fitsType: fitsComparable },
  in: { label: 'one of', fitsType: fitsList },
  isnull: { label: 'empty', fitsType: fitsAny },
  iexact: { label: 'in any case', fitsType: isText },
  contains: { label: 'contains', fitsType: value => isText(value) || hasTextItems(value) },
  icontains: { label: 'contains, in any case', fitsType: isText },
  startswith: { label: 'starts with', fitsType: isText },
  istartswith: { label: 'starts with, in any case', fitsType: isText },
  endswith: { label: 'ends with', fitsType: isText },
  iendswith: { label: 'ends with, in any case', fitsType: isText },
  gt: { label: 'more than', fitsType: fitsOrdered },
  gte: { label: 'at least', fitsType: fitsOrdered },
  lt: { label: 'less than', fitsType: fitsOrdered },
  lte: { label: 'at most', fitsType: fitsOrdered },
  range: { label: 'between', fitsType: fitsOrdered },
  date: { label: 'on the day', fitsType: ({ type }) => type === 'datetime' },
  year: { label: 'in the year', fitsType: ({ type }) => type === 'date' || type === 'datetime' },
}

/** The types of values that are not those of the field, for forms and descriptions. */
export const inputTypes: Readonly<Partial<Record<PositiveLookup, Pick<Field, 'type'>>>> = {
  isnull: { type: 'boolean' },
  date: { type: 'date' },
  year: { type: 'integer' },
}

const keyLookups: readonly PositiveLookup[] = ['exact', 'in', 'isnull']

/** Throws if the lookup does not exist or does not fit; the message names those that fit. */
export function checkLookup(lookup: string, value: ComparedType): void {
  const fitting = (Object.keys(lookupKinds) as PositiveLookup[]).filter(
    name => lookupKinds[name].fitsType(value) && (!value.isKey || keyLookups.includes(name)),
  )
  if (fitting.some(name => [name, negate(name)].includes(lookup as Lookup))) return
  const exists = (Object.keys(lookupKinds) as PositiveLookup[]).some(name =>
    [name, negate(name)].includes(lookup as Lookup),
  )
  const problem = exists
    ? `the lookup "${lookup}" does not fit ${value.isKey ? 'a relation' : `a value of the type ${value.type}`}`
    : `there is no lookup "${lookup}"`
  throw new Error(`${problem}: use ${[...fitting, ...fitting.flatMap(name => negate(name) ?? [])].join(', ')}`)
}

function negate(positive: PositiveLookup): Lookup | undefined {
  if (positive === 'isnull') return undefined
  return positive === 'exact' ? 'not' : `not__${positive}`
}

/** Whether the lookup ignores the case of ASCII letters. */
export const ignoresCase = (lookup: PositiveLookup): boolean => lookup.startsWith('i') && isTextLookup(lookup)

/** Whether the lookup compares with any text, which the field itself might refuse as a value. */
export const isTextLookup = (lookup: PositiveLookup): boolean =>
  (textLookups as readonly PositiveLookup[]).includes(lookup)
