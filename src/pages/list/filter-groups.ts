// The filters of a list as people see them: one control per value, with the conditions on the value inside.

import { APIException, type Field, type FilterLookup, hasTime, type ListMetadata, splitValues } from '#core'
import { dayRanges, formatDays, type RangeEnds } from './day-ranges.ts'

/** The filters by one value. */
export interface FilterGroup {
  /** The path of the value, or the name of a filter that has a control of its own. */
  readonly name: string
  /** The value, with its label. */
  readonly field: Field
  /** The filter whose input the control has: its relation is that of the options. */
  readonly parameter: string
  readonly parameters: readonly string[]
  /** At least one. */
  readonly conditions: readonly FilterCondition[]
  /** Whether each condition takes several of the offered values. */
  readonly isMultiple: boolean
}

/** A condition on the value of a group. */
export interface FilterCondition {
  /** The name in the form: a lookup, `empty`, `between`, or the name of a range of days. */
  readonly name: string
  /** How many inputs it has: one for the value, or two for the ends of a range. */
  readonly inputs: 0 | 1 | 2
  /** The parameters that it may consist of. */
  readonly parameters: readonly string[]
  /** The parameters for values of the form. */
  format(values: readonly string[], end: string): readonly FilterParameter[]
  /** The values of the condition in a query; undefined if it does not have the condition. */
  read(query: URLSearchParams): FilterValues | undefined
}

export type FilterParameter = readonly [name: string, value: string]

export interface FilterValues {
  readonly values: readonly string[]
  /** The other end of a range. */
  readonly end: string
  /** The parameters with the values. */
  readonly used: readonly string[]
}

type Filters = Pick<ListMetadata, 'filters' | 'lookups'>

/** Groups the filters that a caller has. */
export function groupFilters({ filters, lookups }: Filters): readonly FilterGroup[] {
  const now = new Date()
  const groups = Map.groupBy(Object.keys(filters), name => formatGroupKey(name, lookups[name]))
  return Array.from(groups.values(), names => createGroup(names, { filters, lookups }, now))
}

/** Whether the control offers the values. */
const hasOptions = ({ relation, choices, kind }: Field): boolean =>
  relation !== undefined || choices !== undefined || kind.isCheckbox === true

const optionLookups: ReadonlySet<string> = new Set(['exact', 'in', 'not', 'not__in', 'isnull'])
const partLookups: ReadonlySet<string> = new Set(['date', 'year', 'not__date', 'not__year'])

// A lookup whose values need another input has a control of its own.
function formatGroupKey(name: string, lookup: FilterLookup | undefined): string {
  if (lookup === undefined) return `filter ${name}`
  const isShared = hasOptions(lookup.field) ? optionLookups.has(lookup.name) : !partLookups.has(lookup.name)
  return isShared ? `value ${lookup.path}` : `filter ${name}`
}

function createGroup(names: readonly string[], { filters, lookups }: Filters, now: Date): FilterGroup {
  const [first] = names as readonly [string]
  const lookup = lookups[first]
  const byLookup = new Map(names.map(name => [lookups[name]?.name ?? '', name]))
  const offers = lookup !== undefined && hasOptions(lookup.field)
  const isListed = byLookup.has('in') || byLookup.has('not__in')
  // A single filter has the label of its lookup too.
  if (names.length === 1 && !(offers && isListed))
    return {
      ...{ name: first, field: filters[first]!, parameter: first, parameters: names },
      conditions: [valueCondition('is', names, false)],
      isMultiple: filters[first]!.relation?.many ?? false,
    }
  const isMultiple =
    isListed && !(byLookup.has('exact') && !byLookup.has('in')) && !(byLookup.has('not') && !byLookup.has('not__in'))
  const find = (name: string) => byLookup.get(name)
  const usual = isMultiple ? (find('in') ?? find('not__in')) : (find('exact') ?? find('not') ?? find('not__in'))
  return {
    name: lookup!.path,
    field: lookup!.field,
    parameter: usual ?? names.find(name => lookups[name]?.name !== 'isnull') ?? first,
    parameters: names,
    conditions: [
      ...(offers ? optionConditions(byLookup) : textConditions(byLookup, lookup!.field, now)),
      ...flagConditions(byLookup.get('isnull')),
    ],
    isMultiple: offers && isMultiple,
  }
}

type ByLookup = ReadonlyMap<string, string>

const optionConditions = (byLookup: ByLookup): readonly FilterCondition[] =>
  (
    [
      ['is', ['exact', 'in']],
      ['not', ['not', 'not__in']],
    ] as const
  ).flatMap(([name, lookups]) => {
    const parameters = lookups.flatMap(lookup => byLookup.get(lookup) ?? [])
    const isList = byLookup.has(lookups[1])
    return parameters.length === 0 ? [] : [valueCondition(name, parameters, isList)]
  })

function textConditions(byLookup: ByLookup, field: Field, now: Date): readonly FilterCondition[] {
  const [start, end] = [
    ['gte', 'gt'],
    ['lte', 'lt'],
  ].map(names => names.find(name => byLookup.has(name)))
  const isRange = start !== undefined && end !== undefined
  const single = [...byLookup].filter(
    ([name]) => name !== 'isnull' && !(isRange && [start, end, 'range'].includes(name)),
  )
  const values = single.map(([name, parameter]) => valueCondition(name === 'exact' ? 'is' : name, [parameter], false))
  if (!isRange) return values
  const parameters = [byLookup.get(start)!, byLookup.get(end)!] as const
  const ends = { hasTime: hasTime(field.kind), isStartOpen: start === 'gt', isEndOpen: end === 'lt' }
  const isDate = ends.hasTime || field.kind.shown === 'date'
  return [...values, ...(isDate ? dayConditions(parameters, ends, now) : []), rangeCondition(parameters)]
}

// The last parameter takes several values, if `isList`.
const valueCondition = (name: string, parameters: readonly string[], isList: boolean): FilterCondition => ({
  name,
  inputs: 1,
  parameters,
  format(values) {
    const [parameter, list = parameter] = [parameters[0]!, parameters.at(-1)]
    if (!isList) return values.map(value => [parameter, value])
    return values.length === 1 && parameters.length > 1
      ? [[parameter, values[0]!]]
      : values.map(value => [list, quote(value)])
  },
  read(query) {
    const used = parameters.find(parameter => query.getAll(parameter).some(text => text !== ''))
    if (used === undefined) return undefined
    const texts = query.getAll(used).filter(text => text !== '')
    return { values: isList && used === parameters.at(-1) ? split(texts) : texts, end: '', used: [used] }
  },
})

const quote = (value: string): string => (/[",]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)

function split(texts: readonly string[]): readonly string[] {
  try {
    return splitValues(texts)
  } catch (error) {
    // The list rejects a query with wrong quotation marks.
    if (error instanceof APIException) return texts
    throw error
  }
}

type Range = readonly [start: string, end: string]

const rangeCondition = (parameters: Range): FilterCondition => ({
  name: 'between',
  inputs: 2,
  parameters,
  format: ([start = ''], end) => formatRange(parameters, start, end),
  read(query) {
    const [start, end] = parameters.map(name => query.get(name) ?? '') as [string, string]
    return start === '' && end === '' ? undefined : { values: [start], end, used: parameters }
  },
})

const formatRange = (parameters: Range, start: string, end: string): readonly FilterParameter[] =>
  (
    [
      [parameters[0], start],
      [parameters[1], end],
    ] as const
  ).filter(([, value]) => value !== '')

const dayConditions = (parameters: Range, ends: RangeEnds, now: Date): readonly FilterCondition[] =>
  dayRanges.map(days => {
    const { from, to } = formatDays(days, ends, now)
    return {
      name: days.name,
      inputs: 0,
      parameters,
      format: () => formatRange(parameters, from, to),
      read: query =>
        query.get(parameters[0]) === from && query.get(parameters[1]) === to
          ? { values: [from], end: to, used: parameters }
          : undefined,
    }
  })

const flagConditions = (parameter: string | undefined): readonly FilterCondition[] =>
  parameter === undefined
    ? []
    : (['true', 'false'] as const).map(value => ({
        name: value === 'true' ? 'empty' : 'not_empty',
        inputs: 0,
        parameters: [parameter],
        format: () => [[parameter, value]],
        read: query =>
          query.get(parameter)?.toLowerCase() === value ? { values: [value], end: '', used: [parameter] } : undefined,
      }))

/** A condition that a query has, with its values. */
export interface ActiveCondition extends FilterValues {
  readonly condition: FilterCondition
}

/** The first condition of the group that the query has; undefined if it has none. */
export function findCondition({ conditions }: FilterGroup, query: URLSearchParams): ActiveCondition | undefined {
  for (const condition of conditions) {
    const values = condition.read(query)
    if (values !== undefined) return { ...values, condition }
  }
  return undefined
}

/** All conditions of the group that the query has. */
export function listConditions(group: FilterGroup, query: URLSearchParams): readonly ActiveCondition[] {
  const rest = new URLSearchParams(query)
  const activeConditions: ActiveCondition[] = []
  for (let next = findCondition(group, rest); next !== undefined; next = findCondition(group, rest)) {
    activeConditions.push(next)
    for (const name of next.used) rest.delete(name)
  }
  return activeConditions
}

/** The fields of a control with several conditions: the condition, its value, and the other end of a range. */
export const conditionField = (name: string): string => `_by.${name}`
export const valueField = (name: string): string => `_value.${name}`
export const endField = (name: string): string => `_to.${name}`

/** Replaces the fields of controls with the parameters that they mean. */
export function replaceConditions(query: URLSearchParams, list: Filters): URLSearchParams {
  const replaced = new URLSearchParams([...query].filter(([name]) => !/^_(?:by|value|to)\./.test(name)))
  for (const { name, conditions } of groupFilters(list)) {
    const condition = conditions.find(each => each.name === query.get(conditionField(name)))
    const values = query.getAll(valueField(name)).filter(value => value !== '')
    const end = query.get(endField(name)) ?? ''
    if (condition === undefined || (condition.inputs === 1 && values.length === 0)) continue
    for (const [parameter, value] of condition.format(values, end)) replaced.append(parameter, value)
  }
  return replaced
}
