// The lookups of filters, named as in Django: which types of values each compares, and how a form labels it.

import type { Field, FieldType } from '../../../fields/field.ts'
import type { DocumentKey } from '../../../messages/document-messages.ts'
import type { Lookup, PositiveLookup } from '../../declare/filters.ts'
import { isStoredAsJson } from '../../declare/storage.ts'

const textLookups: readonly PositiveLookup[] = [
  'iexact',
  'contains',
  'icontains',
  'startswith',
  'istartswith',
  'endswith',
  'iendswith',
]

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
  /** The message that follows the field's label in forms; undefined for none. */
  readonly label: Extract<DocumentKey, `page.lookup_${string}`> | undefined
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
  exact: { label: undefined, fitsType: fitsComparable },
  in: { label: 'page.lookup_in', fitsType: fitsList },
  isnull: { label: 'page.lookup_isnull', fitsType: fitsAny },
  iexact: { label: 'page.lookup_iexact', fitsType: isText },
  contains: { label: 'page.lookup_contains', fitsType: value => isText(value) || hasTextItems(value) },
  icontains: { label: 'page.lookup_icontains', fitsType: isText },
  startswith: { label: 'page.lookup_startswith', fitsType: isText },
  istartswith: { label: 'page.lookup_istartswith', fitsType: isText },
  endswith: { label: 'page.lookup_endswith', fitsType: isText },
  iendswith: { label: 'page.lookup_iendswith', fitsType: isText },
  gt: { label: 'page.lookup_gt', fitsType: fitsOrdered },
  gte: { label: 'page.lookup_gte', fitsType: fitsOrdered },
  lt: { label: 'page.lookup_lt', fitsType: fitsOrdered },
  lte: { label: 'page.lookup_lte', fitsType: fitsOrdered },
  range: { label: 'page.lookup_range', fitsType: fitsOrdered },
  date: { label: 'page.lookup_date', fitsType: ({ type }) => type === 'datetime' },
  year: { label: 'page.lookup_year', fitsType: ({ type }) => type === 'date' || type === 'datetime' },
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
export const isTextLookup = (lookup: PositiveLookup): boolean => textLookups.includes(lookup)
