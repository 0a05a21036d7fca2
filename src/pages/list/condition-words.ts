// The words of conditions and of their values: for the controls of a list, and for the chips of its active filters.

import { formatChoice } from '#core'
import type { PageKey } from '../messages/page-messages.ts'
import type { ActiveCondition, FilterCondition, FilterGroup } from './filter-groups.ts'
import type { ListQuery } from './list-query.ts'

const conditionWords: Readonly<Record<string, PageKey>> = {
  is: 'page.condition_is',
  not: 'page.condition_not',
  empty: 'page.condition_empty',
  not_empty: 'page.condition_not_empty',
  between: 'page.lookup_range',
  today: 'page.today',
  yesterday: 'page.yesterday',
  last_7_days: 'page.last_7_days',
  last_30_days: 'page.last_30_days',
}

/** The words of a condition: `is not`. */
export function formatCondition(
  { name, parameters }: FilterCondition,
  { field, name: groupName }: FilterGroup,
  { listMetadata, words }: Pick<ListQuery, 'listMetadata' | 'words'>,
): string {
  const key = conditionWords[name]
  if (key !== undefined) return words(key)
  // The label of the filter is that of the value, and the words of the lookup.
  const [parameter] = parameters as readonly [string]
  const label = words.label(groupName, field)
  const full = words.label(parameter, listMetadata.filters[parameter]!)
  return full.startsWith(`${label}: `) ? full.slice(label.length + 2) : full
}

/** What a chip says about a condition that a query has: `Status`, `is not`, and the values. */
export interface ConditionText {
  readonly label: string
  readonly value: string
}

/** The text of a condition, with names in place of keys. */
export function formatActive(group: FilterGroup, active: ActiveCondition, list: ListQuery): ConditionText {
  const { condition, end, values } = active
  const { words } = list
  const label = words.label(group.name, group.field)
  const text = formatCondition(condition, group, list)
  if (condition.inputs === 0) return { label, value: text }
  if (condition.inputs === 2) {
    const [start, last] = [values[0] ?? '', end].map(formatTime) as [string, string]
    return { label, value: formatEnds(start, last, list) }
  }
  const value = formatValues(group, values, list)
  return { label: condition.name === 'is' ? label : `${label}: ${text}`, value }
}

// `2026-03-01T08:00:00Z` is `2026-03-01 08:00`.
const formatTime = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::00)?(?:\.0+)?Z?$/, '$1 $2')

function formatEnds(start: string, end: string, { words }: ListQuery): string {
  if (start === '') return `${words('page.lookup_lte')} ${end}`
  return end === '' ? `${words('page.lookup_gte')} ${start}` : `${start} – ${end}`
}

function formatValues({ parameter, field }: FilterGroup, values: readonly string[], list: ListQuery): string {
  const { words, pickers, listMetadata } = list
  const options = pickers.get(listMetadata.filters[parameter]!)?.options
  const format = (value: string) => {
    if (field.kind.isCheckbox)
      return value === 'true' ? words('page.yes') : value === 'false' ? words('page.no') : value
    if (field.choices) return words.text(formatChoice(field.choices, value))
    return options?.find(option => option.value === value)?.name ?? formatTime(value)
  }
  return values.map(format).join(', ')
}
