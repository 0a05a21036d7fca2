// The ranges of days that a filter by a date or a time offers by name, such as "Yesterday". Days are in UTC, as all times of filters.

/** A range: the first day and the last day, relative to the current one. */
export interface DayRange {
  readonly name: 'today' | 'yesterday' | 'last_7_days' | 'last_30_days'
  readonly first: number
  readonly last: number
}

export const dayRanges: readonly DayRange[] = [
  { name: 'today', first: 0, last: 0 },
  { name: 'yesterday', first: -1, last: -1 },
  { name: 'last_7_days', first: -6, last: 0 },
  { name: 'last_30_days', first: -29, last: 0 },
]

/** How the filters compare with the ends of a range. */
export interface RangeEnds {
  readonly hasTime: boolean
  /** Whether the start itself is outside of the range. */
  readonly isStartOpen: boolean
  readonly isEndOpen: boolean
}

/** The values with which the filters find the range. */
export function formatDays({ first, last }: DayRange, { hasTime, isStartOpen, isEndOpen }: RangeEnds, now: Date) {
  const day = (offset: number) => {
    const date = new Date(now)
    date.setUTCDate(date.getUTCDate() + offset)
    return date.toISOString().slice(0, 10)
  }
  if (!hasTime) return { from: day(isStartOpen ? first - 1 : first), to: day(isEndOpen ? last + 1 : last) }
  return {
    from: isStartOpen ? `${day(first - 1)}T23:59:59.999999Z` : `${day(first)}T00:00:00Z`,
    to: isEndOpen ? `${day(last + 1)}T00:00:00Z` : `${day(last)}T23:59:59.999999Z`,
  }
}
