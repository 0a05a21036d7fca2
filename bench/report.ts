// What came out: rows for people and for programs, and whether they meet their goals.

/** A figure of one thing against that of another, as medians of the rounds. */
export interface Row {
  readonly work: string
  readonly against: string
  readonly unit: 'req/s' | 'ms' | 'MB' | 'requests'
  readonly one: number
  /** Undefined where the figure stands alone. */
  readonly other?: number
  /** One to the other, of each round. */
  readonly ratio?: Spread
  /** Of the ratio, or of a figure that stands alone; undefined where the row is only shown. */
  readonly goal?: Goal
  /** Microseconds of the server's processor per request: where the machine is busy, the ones to look at. */
  readonly processor?: { readonly one: number; readonly other: number }
}

export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export type Goal = { readonly atLeast: number } | { readonly atMost: number } | { readonly below: number }

/** A table, and what is to be known of it. */
export interface Section {
  readonly title: string
  readonly text: string
  readonly rows: readonly Row[]
}

export interface Pair {
  readonly one: number
  readonly other: number
}

/** The figures of a row from those of its rounds. */
export function figuresOf(rounds: readonly Pair[]): Required<Pick<Row, 'one' | 'other' | 'ratio'>> {
  return {
    one: median(rounds.map(({ one }) => one)),
    other: median(rounds.map(({ other }) => other)),
    ratio: spreadOf(rounds.map(({ one, other }) => one / other)),
  }
}

export function missesGoal({ goal, ratio, one }: Row): boolean {
  if (goal === undefined) return false
  const value = ratio?.median ?? one
  if ('atLeast' in goal) return !(value >= goal.atLeast)
  return 'below' in goal ? !(value < goal.below) : !(value <= goal.atMost)
}

export const header = [
  'work',
  'against',
  'unit',
  'work’s',
  'other’s',
  'ratio',
  'min–max',
  'goal',
  '',
  'work’s µs',
  'other’s µs',
] as const

/** A row as texts, in the columns of `header`. */
export function cellsOf(row: Row): readonly string[] {
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

/** The section for a terminal. */
export function formatSection({ title, rows }: Section): string {
  const table = [[...header], ...rows.map(cellsOf)]
  const widths = header.map((_, column) => Math.max(...table.map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column < 3 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ')
  return `${title}\n${table.map(row => line(row).trimEnd()).join('\n')}`
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** The value that this share of the others is not above; 0 where there are none. */
export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) return 0
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!
}

const formatFigure = (value: number): string => value.toFixed(value < 100 ? 1 : 0)
