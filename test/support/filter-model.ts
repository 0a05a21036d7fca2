// The filters of the shop in plain TypeScript: over all rows, without SQL.

import { sampleTexts, shopRows, shopTime } from './filtered-shop.ts'

/** The key of the caller; null if anonymous. */
export type CallerKey = number | null

interface Owned {
  readonly owner_id: number | null
}

const isVisible = ({ owner_id }: Owned, caller: CallerKey): boolean => owner_id === null || owner_id === caller

type Value = string | number | boolean | null
export type Order = (typeof shopRows.orders)[number]

/** A filtered field: its values in an order, and the values of queries. */
interface FilteredField {
  /** The values that the caller may see, also through relations. */
  find(order: Order, caller: CallerKey): readonly Value[]
  /** Texts of queries, all of which the field accepts. */
  readonly samples: readonly string[]
  /** The value that a text means. */
  parse(text: string): Value
  readonly lookups: readonly string[]
}

const texts =
  'exact in isnull iexact contains icontains startswith istartswith endswith iendswith not not__in not__icontains'.split(
    ' ',
  )
const ordered = 'exact in isnull gt gte lt lte range not not__range'.split(' ')
const keys = 'exact in isnull not not__in'.split(' ')
const same = (text: string): Value => text

/** The customer of an order, if the caller may see it. */
export function findCustomers({ customer_id }: Order, caller: CallerKey) {
  return shopRows.customers.filter(customer => customer.id === customer_id && isVisible(customer, caller))
}

export const findCountries = (order: Order, caller: CallerKey) =>
  findCustomers(order, caller).flatMap(({ country_code }) =>
    shopRows.countries.filter(country => country.code === country_code && isVisible(country, caller)),
  )

export const findTags = (order: Order, caller: CallerKey) =>
  shopRows.tags.filter(
    tag =>
      isVisible(tag, caller) && shopRows.order_tags.some(link => link.order_id === order.id && link.tag_id === tag.id),
  )

export const findLines = (order: Order, caller: CallerKey) =>
  shopRows.lines.filter(line => line.order_id === order.id && isVisible(line, caller))

export const sumLines = ({ id }: Order): number =>
  shopRows.lines
    .filter(line => line.order_id === id && line.owner_id === null)
    .reduce((sum, { price }) => sum + Math.round(Number(price) * 100), 0) / 100

const own = (
  column: keyof Order,
  samples: readonly string[],
  lookups: readonly string[],
  parse: (text: string) => Value = same,
): FilteredField => ({ find: order => [order[column] as Value], samples, lookups, parse })

const decimals = ['-1.50', '0', '0.1', '0.30', '10', '9.99', '1e1']
const ownDecimals =
  (find: (order: Order) => string | null): FilteredField['find'] =>
  order => {
    const value = find(order)
    return [value === null ? null : Number(value)]
  }
const booleans = ['true', '0', 'yes', 'off']
const parseBoolean = (text: string) => ['true', 'yes'].includes(text)
const parseMoment = (text: string) =>
  new Date(text).toISOString().replace(/(\.\d{3})Z/, `$1${/\.\d{3}(\d{3})/.exec(text)?.[1] ?? '000'}Z`)

/** The filtered fields of an order, by the first part of their parameters. */
export const filteredFields: Readonly<Record<string, FilteredField>> = {
  id: own('id', ['1', '7', '99', '9007199254740991'], ['exact', 'in', 'gte'], Number),
  number: own('number', sampleTexts, texts),
  total: { find: ownDecimals(({ total }) => total), samples: decimals, lookups: ordered, parse: Number },
  weight: own('weight', ['-1.5', '0', '.1', '0.3', '1e21'], ordered, Number),
  pieces: own('pieces', ['-3', '0', '2147483647', '7', '8'], ordered, Number),
  paid: own('paid', booleans, ['exact', 'isnull'], parseBoolean),
  status: own('status', ['open', 'paid', 'late'], keys),
  due: own('due', ['2026-02-28', '2026-03-01', '2025-12-31', '0001-01-01'], [...ordered, 'year']),
  at: own('at', ['12:00', '12:00:00.5', '00:00:00', '23:59:59'], ordered, text =>
    text === '12:00' ? '12:00:00' : text === '12:00:00.5' ? '12:00:00.500000' : text,
  ),
  placed: own(
    'placed',
    [
      '2026-01-31T12:00:00Z',
      '2026-01-31T13:00:00+01:00',
      '2026-01-31T23:59:59.999999Z',
      '2026-02-01T00:00:00Z',
      '2026-01-31T12:00:00.000001Z',
    ],
    ['exact', 'isnull', 'gt', 'gte', 'lt', 'lte', 'range', 'date', 'year', 'not', 'not__date', 'not__gt'],
    parseMoment,
  ),
  took: own('took', ['-1', '0', '1 00:00:00', 'PT1S'], ordered, text =>
    text === 'PT1S' ? 1_000_000 : text === '1 00:00:00' ? 86_400_000_000 : Number(text) * 1_000_000,
  ),
  ref: own('ref', ['00000000-0000-4000-8000-000000000001', '00000000000040008000000000000002'], keys, text =>
    text.includes('-') ? text : '00000000-0000-4000-8000-000000000002',
  ),
  customer: {
    find: (order, caller) => findCustomers(order, caller).map(({ id }) => id),
    samples: [0, 1, 2, 5].map(number => `00000000-0000-4000-8000-00000000000${number}`),
    lookups: keys,
    parse: same,
  },
  customer__name: {
    find: (order, caller) => findCustomers(order, caller).map(({ name }) => name),
    samples: sampleTexts,
    lookups: texts,
    parse: same,
  },
  customer__country: {
    find: (order, caller) => findCountries(order, caller).map(({ code }) => code),
    samples: ['dk', 'no', 'se', 'x'],
    lookups: keys,
    parse: same,
  },
  customer__country__name: {
    find: (order, caller) => findCountries(order, caller).map(({ name }) => name),
    samples: sampleTexts,
    lookups: texts,
    parse: same,
  },
  open_customer: {
    find: ({ customer_id }) => [customer_id],
    samples: [0, 1, 2, 5].map(number => `00000000-0000-4000-8000-00000000000${number}`),
    lookups: keys,
    parse: same,
  },
  open_customer__name: {
    find: (order, caller) => findCustomers(order, caller).map(({ name }) => name),
    samples: sampleTexts,
    lookups: texts,
    parse: same,
  },
  open_customer__country: {
    find: (order, caller) => findCountries(order, caller).map(({ code }) => code),
    samples: [],
    lookups: [],
    parse: same,
  },
  open_customer__country__name: {
    find: (order, caller) => findCountries(order, caller).map(({ name }) => name),
    samples: sampleTexts,
    lookups: ['exact', 'isnull', 'not'],
    parse: same,
  },
  customer_name: {
    find: (order, caller) => findCustomers(order, caller).map(({ name }) => name),
    samples: sampleTexts,
    lookups: texts,
    parse: same,
  },
  tags: {
    find: (order, caller) => findTags(order, caller).map(({ slug }) => slug),
    samples: ['red', 'Red', 'blue', 'x'],
    lookups: keys,
    parse: same,
  },
  tags__slug: {
    find: (order, caller) => findTags(order, caller).map(({ slug }) => slug),
    samples: ['red', 'RED', 'e', 'lu', 'x'],
    lookups: texts,
    parse: same,
  },
  lines: {
    find: (order, caller) => findLines(order, caller).map(({ id }) => id),
    samples: ['1', '2', '3', '4', '15'],
    lookups: keys,
    parse: Number,
  },
  lines__product: {
    find: (order, caller) => findLines(order, caller).map(({ product }) => product),
    samples: sampleTexts,
    lookups: texts,
    parse: same,
  },
  lines_in_full__product: {
    find: (order, caller) => findLines(order, caller).map(({ product }) => product),
    samples: sampleTexts,
    lookups: ['in'],
    parse: same,
  },
  lines__price: {
    find: (order, caller) => findLines(order, caller).map(({ price }) => (price === null ? null : Number(price))),
    samples: decimals,
    lookups: ordered,
    parse: Number,
  },
  lines_total: {
    find: order => [sumLines(order)],
    samples: ['0', '0.3', '.20', '10.10'],
    lookups: ordered,
    parse: Number,
  },
  is_mine: {
    find: ({ owner_id }, caller) => [owner_id !== null && owner_id === caller],
    samples: booleans,
    lookups: ['exact'],
    parse: parseBoolean,
  },
  owned: {
    find: ({ owner_id }, caller) => [owner_id !== null && owner_id === caller],
    samples: booleans,
    lookups: ['exact'],
    parse: parseBoolean,
  },
  access: { find: (order, caller) => [findAccess(order, caller)], samples: [], lookups: [], parse: same },
  late: {
    find: ({ placed }) => [placed === null ? null : placed < shopTime.toISOString()],
    samples: booleans,
    lookups: ['exact'],
    parse: parseBoolean,
  },
  late_or: {
    find: ({ status }) => (status === 'late' ? ['open', 'paid', 'late'] : [status]),
    samples: ['open', 'paid'],
    lookups: ['exact'],
    parse: same,
  },
  labels: {
    find: ({ labels }) => [labels === null ? null : 'labels'],
    samples: sampleTexts,
    lookups: ['isnull'],
    parse: same,
  },
  labels__contains: {
    find: ({ labels }) => labels ?? [],
    samples: ['Emma', 'emma', 'x', 'é'],
    lookups: ['exact'],
    parse: same,
  },
}

/** The texts of an order that a search looks at. */
const findSearchedTexts = (order: Order, caller: CallerKey): readonly Value[] => [
  order.number,
  order.status,
  findAccess(order, caller),
  ...findCustomers(order, caller).flatMap(({ id, name }) => [id, name]),
  ...findCountries(order, caller).map(({ name }) => name),
  ...findTags(order, caller).map(({ slug }) => slug),
  ...findLines(order, caller).map(({ product }) => product),
]

const findAccess = ({ owner_id }: Order, caller: CallerKey): Value =>
  owner_id === null ? null : owner_id === caller ? 'my own' : 'other'

/** Words and phrases that a search may look for. */
export const searchTerms: readonly string[] = [
  ...sampleTexts,
  'my own',
  'EMMA x',
  'x emma',
  'red',
  'LUE',
  'aid',
  '000-8',
  '0005',
  "'",
  'nothing',
]

/** A search for these words and phrases, as a caller writes it. */
export const formatSearch = (terms: readonly string[]): string =>
  terms.map(term => (term.includes(' ') ? `"${term}"` : term)).join(' ')

/** The names by which lists can be ordered, on the wire. */
export const orderedFields: readonly string[] =
  'id number total weight pieces paid status due at took ref customer customer__name customer__country customer__country__name open_customer__name open_customer__country customer_name lines_total is_mine access'.split(
    ' ',
  )

// Null is last in ascending order, and texts are compared by code point.
function compareValues(one: Value, other: Value): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null)
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
  return Number(one) - Number(other)
}

/** Sorts orders by names on the wire, with `-` for descending. The key breaks ties, in the last direction. */
export function sortOrders(keys: readonly number[], ordering: readonly string[], caller: CallerKey): readonly number[] {
  const names = ordering.filter(
    (name, index) => ordering.findIndex(other => other.replace('-', '') === name.replace('-', '')) === index,
  )
  const find = (key: number, name: string) =>
    filteredFields[name]!.find(shopRows.orders.find(({ id }) => id === key)!, caller)[0] ?? null
  return keys.toSorted((one, other) => {
    for (const name of [...names, names.at(-1)?.startsWith('-') ? '-id' : 'id']) {
      const field = name.replace('-', '')
      const compared = compareValues(find(one, field), find(other, field))
      if (compared !== 0) return name.startsWith('-') ? -compared : compared
    }
    return 0
  })
}

const fold = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase())
const isIn = (lookup: string, text: string, part: string): boolean =>
  lookup.endsWith('exact')
    ? text === part
    : lookup.endsWith('contains')
      ? text.includes(part)
      : lookup.endsWith('startswith')
        ? text.startsWith(part)
        : text.endsWith(part)

const compare: Readonly<Record<string, (value: NonNullable<Value>, other: NonNullable<Value>) => boolean>> = {
  exact: (value, other) => value === other,
  gt: (value, other) => value > other,
  gte: (value, other) => value >= other,
  lt: (value, other) => value < other,
  lte: (value, other) => value <= other,
}

function isMet(field: FilteredField, lookup: string, value: Value, given: readonly string[]): boolean {
  if (value === null) return false
  const [first, second] = given.map(text => field.parse(text)!) as [NonNullable<Value>, NonNullable<Value>]
  if (lookup === 'in') return given.some(text => field.parse(text) === value)
  if (lookup === 'range') return value >= first && value <= second
  if (lookup === 'date' || lookup === 'year') return String(value).startsWith(given[0]!)
  if (Object.hasOwn(compare, lookup)) return compare[lookup]!(value, first)
  return lookup.startsWith('i')
    ? isIn(lookup, fold(String(value)), fold(given[0]!))
    : isIn(lookup, String(value), given[0]!)
}

/** A filter of a query: the field, the lookup and its values. */
export interface UsedFilter {
  readonly name: string
  readonly lookup: string
  readonly given: readonly string[]
}

/** The comparison of a lookup, without `not`. */
export const comparingOf = (lookup: string): string =>
  lookup === 'not' ? 'exact' : lookup.startsWith('not__') ? lookup.slice('not__'.length) : lookup

const quote = (value: string): string => (/[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

/** The parameter of a filter, and its value. */
export const formatFilter = ({ name, lookup, given }: UsedFilter): [name: string, value: string] => [
  lookup === 'exact' ? name : `${name}__${lookup}`,
  given.length === 1 ? given[0]! : given.map(quote).join(','),
]

/**
 * The keys of the orders that a caller finds: those that meet all filters and at least one of each group, and contain each word
 * or phrase of a search.
 */
export function findOrders(
  filters: readonly UsedFilter[],
  caller: CallerKey,
  groups: readonly (readonly UsedFilter[])[] = [],
  terms: readonly string[] = [],
): readonly number[] {
  const meets = (order: Order) => (filter: UsedFilter) =>
    isFound(order, filter, caller) !== filter.lookup.startsWith('not')
  return shopRows.orders
    .filter(order => isVisible(order, caller))
    .filter(order => filters.every(meets(order)) && groups.every(group => group.some(meets(order))))
    .filter(order => {
      const texts = findSearchedTexts(order, caller).flatMap(text => (text === null ? [] : fold(String(text))))
      return terms.every(term => texts.some(text => text.includes(fold(term))))
    })
    .map(({ id }) => id)
}

/** Whether the comparison of a filter finds an order. */
function isFound(order: Order, { name, lookup, given }: UsedFilter, caller: CallerKey): boolean {
  const field = filteredFields[name]!
  const values = field.find(order, caller)
  const comparing = comparingOf(lookup)
  if (comparing === 'isnull') return (given[0] === 'true') === values.every(value => value === null)
  return values.some(value => isMet(field, comparing, value, given))
}
