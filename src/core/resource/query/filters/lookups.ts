// The lookups of filters, named as in Django: which values each fits, and how a form labels it.

import { formatPattern } from '../../../database/patterns/format-pattern.ts'
import { parsePattern } from '../../../database/patterns/parse-pattern.ts'
import type { Field } from '../../../fields/field.ts'
import { booleanKind } from '../../../fields/kinds/boolean.ts'
import { dateKind } from '../../../fields/kinds/date.ts'
import { integerKind } from '../../../fields/kinds/integer.ts'
import {
  equalityLookups,
  type FieldKind,
  type PositiveLookup,
  positiveLookups,
  textOnlyLookups,
} from '../../../fields/kinds/kind.ts'
import type { DocumentKey } from '../../../messages/document-messages.ts'
import type { Lookup } from '../../declare/filters.ts'
import { lowerAscii } from './lower-ascii.ts'

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

/** The message that follows the field's label in forms, by lookup. */
export const lookupLabels: Readonly<Record<PositiveLookup, Extract<DocumentKey, `page.lookup_${string}`> | undefined>> =
  {
    exact: undefined,
    in: 'page.lookup_in',
    isnull: 'page.lookup_isnull',
    iexact: 'page.lookup_iexact',
    contains: 'page.lookup_contains',
    icontains: 'page.lookup_icontains',
    startswith: 'page.lookup_startswith',
    istartswith: 'page.lookup_istartswith',
    endswith: 'page.lookup_endswith',
    iendswith: 'page.lookup_iendswith',
    regex: 'page.lookup_regex',
    iregex: 'page.lookup_iregex',
    gt: 'page.lookup_gt',
    gte: 'page.lookup_gte',
    lt: 'page.lookup_lt',
    lte: 'page.lookup_lte',
    range: 'page.lookup_range',
    date: 'page.lookup_date',
    year: 'page.lookup_year',
  }

/** A value as lookups compare it. */
export interface ComparedValue {
  readonly kind: FieldKind
  /** The field of each item of a list. */
  readonly child?: Field | undefined
  /** True: the value is the key of a related object. */
  readonly isKey?: boolean
}

const fits = (lookup: PositiveLookup, { kind, child, isKey }: ComparedValue): boolean =>
  (kind.lookups.includes(lookup) || (lookup === 'contains' && hasNamedItems(child))) &&
  (!isKey || isAmong(lookup, equalityLookups))

const hasNamedItems = (child: Field | undefined): boolean =>
  child?.kind.identifier !== undefined && child.relation === undefined

/** The kinds of values that are not those of the field, for forms and descriptions. */
export const inputKinds: Readonly<Partial<Record<PositiveLookup, FieldKind>>> = {
  isnull: booleanKind,
  date: dateKind,
  year: integerKind,
}

/** Throws if the lookup does not exist or does not fit; the message names those that fit. */
export function checkLookup(lookup: string, value: ComparedValue): void {
  const isNamed = (name: PositiveLookup) => [name, negate(name)].includes(lookup as Lookup)
  const fitting = positiveLookups.filter(name => fits(name, value))
  if (fitting.some(isNamed)) return
  const problem = positiveLookups.some(isNamed)
    ? `the lookup "${lookup}" does not fit ${value.isKey ? 'a relation' : `a value of the type ${value.kind.name}`}`
    : `there is no lookup "${lookup}"`
  throw new Error(`${problem}: use ${[...fitting, ...fitting.flatMap(name => negate(name) ?? [])].join(', ')}`)
}

function negate(positive: PositiveLookup): Lookup | undefined {
  if (positive === 'isnull') return undefined
  return positive === 'exact' ? 'not' : `not__${positive}`
}

/** Whether the lookup ignores the case of ASCII letters. */
export const ignoresCase = (lookup: PositiveLookup): boolean => lookup.startsWith('i') && isTextLookup(lookup)

/** Whether the lookup compares with a regular expression. */
export const isPatternLookup = (lookup: PositiveLookup): boolean => lookup === 'regex' || lookup === 'iregex'

/** The text as the SQL of the lookup compares it. Throws ValidationError for a regular expression that is refused. */
export function prepareText(lookup: PositiveLookup, text: string): string {
  if (isPatternLookup(lookup)) return formatPattern(parsePattern(text, ignoresCase(lookup)))
  return ignoresCase(lookup) ? lowerAscii(text) : text
}

/** Whether the lookup compares with any text, which the field itself might refuse as a value. */
export const isTextLookup = (lookup: PositiveLookup): boolean => isAmong(lookup, textOnlyLookups)

const isAmong = (lookup: PositiveLookup, lookups: readonly PositiveLookup[]): boolean => lookups.includes(lookup)
