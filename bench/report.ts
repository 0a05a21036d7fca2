// Results: rows for terminals, pages and JSON, and whether they meet their goals.

/** The measured value of one workload compared with another one, as medians of the rounds. */
export interface Row {
  readonly work: string
  readonly against: string
  readonly unit: 'req/s' | 'ms' | 'MB' | 'MB/s' | 'requests'
  readonly one: number
  /** Undefined if the row compares nothing. */
  readonly other?: number
  /** `one` divided by `other`, per round. */
  readonly ratio?: Spread
  /** For the ratio, or for `one` if there is no `other`; undefined if the row is only shown. */
  readonly goal?: Goal
  /** The server's processor time per request in microseconds, which is more reliable than rates on a busy machine. */
  readonly processor?: { readonly one: number; readonly other: number }
}

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number }

/** A table with its explanation. */
export interface Section {
  readonly title: string
  readonly text: string
  readonly rows: readonly Row[]
}

export interface Pair {
  readonly one: number
  readonly other: number
}

/** Computes the values of a row from its rounds. */
export function summarizeRounds(rounds: readonly Pair[]): Required<Pick<Row, 'one' | 'other' | 'ratio'>> {
  return {
    one: median(rounds.map(({ one }) => one)),
    other: median(rounds.map(({ other }) => other)),
    ratio: findSpread(rounds.map(({ one, other }) => one / other)),
  }
}

export function missesGoal({ goal, ratio, one }: Row): boolean {
  if (goal === undefined) return false
  const value = ratio?.median ?? one
  if ('atLeast' in goal) return !(value >= goal.atLeast)
  return 'below' in goal ? !(value < goal.below) : !(value <= goal.atMost)
}

export const header = [
  'workload',
  'compared with',
  'unit',
  'value',
  'compared',
  'ratio',
  'min–max',
  'goal',
  '',
  'µs',
  'compared µs',
] as const

/** Formats a row as cells, in the columns of `header`. */
export function formatCells(row: Row): readonly string[] {
  const { work, against, unit, one, other, ratio, goal, processor } = row
  return [
    work,
    against,
    unit,
    formatFigure(one),
    other === undefined ? '' : formatFigure(other),
    ratio === undefined ? '' : ratio.median.toFixed(2),
    ratio === undefined ? '' : `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
    goal === undefined ? '' : formatGoal(goal),
    goal === undefined ? '' : missesGoal(row) ? 'missed' : 'met',
    processor === undefined ? '' : processor.one.toFixed(0),
    processor === undefined ? '' : processor.other.toFixed(0),
  ]
}

function formatGoal(goal: Goal): string {
  if ('atLeast' in goal) return `≥ ${goal.atLeast}`
  return 'below' in goal ? `< ${goal.below}` : `≤ ${goal.atMost}`
}

/** Formats a section for a terminal. */
export function formatSection({ title, rows }: Section): string {
  const table = [[...header], ...rows.map(formatCells)]
  const widths = header.map((_, column) => Math.max(...table.map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ')
  return `${title}\n${table.map(row => line(row).trimEnd()).join('\n')}`
}

export function findSpread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The percentile of the values for this share (0 to 1); 0 if there are none. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
}

const formatFigure = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
