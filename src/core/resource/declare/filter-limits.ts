import { checkOptionNames, type OptionNames } from '../../base/option-names.ts'

/** The bounds of the filters of one query. */
export interface FilterLimits {
  /** The most filters; default 20. */
  readonly filters?: number
  /** The most values of one `in`; default 100. */
  readonly values?: number
  /** The most groups of filters that are joined with `or`; default 0: the list takes none. */
  readonly groups?: number
}

const names: OptionNames<FilterLimits> = { filters: true, values: true, groups: true }
const smallest: Readonly<Record<keyof FilterLimits, number>> = { filters: 1, values: 1, groups: 0 }

/** Throws for the first mistake in the bounds of a resource's filters. Node runs TypeScript without checking types. */
export function checkFilterLimits(limits: FilterLimits = {}): void {
  checkOptionNames('filterLimits', limits, names)
  for (const [name, limit] of Object.entries(limits)) {
    const least = smallest[name as keyof FilterLimits]
    if (limit !== undefined && !(Number.isSafeInteger(limit) && limit >= least))
      throw new Error(`filterLimits: ${name} must be a whole number from ${least}, not ${JSON.stringify(limit)}`)
  }
}
