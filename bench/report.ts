// What the rounds showed: a table for people, and the same as JSON.

import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Measurement } from './side.ts'
import type { Work } from './works.ts'

/** One round of one work: it and what it is measured against, directly after one another. */
export interface Round {
  readonly one: Measurement
  readonly other: Measurement
}

/** A work and what came out. Rates are requests per second, processor times microseconds per request. */
export interface Result {
  readonly work: string
  readonly against: string
  readonly goal: number | undefined
  readonly rate: { readonly one: number; readonly other: number }
  readonly processor: { readonly one: number; readonly other: number }
  /** Of the rates, one to the other, of each round: this is what has a goal. */
  readonly ratio: Spread
  /** The same of the processor times, the other to one: where the machine is busy, the one to look at. */
  readonly processorRatio: Spread
}

interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export function resultOf({ name, goal, against }: Work, rounds: readonly Round[]): Result {
  const medians = (figure: keyof Measurement) => ({
    one: median(rounds.map(({ one }) => one[figure])),
    other: median(rounds.map(({ other }) => other[figure])),
  })
  return {
    work: name,
    against: against?.name ?? 'by hand',
    goal,
    rate: medians('rate'),
    processor: medians('processor'),
    ratio: spreadOf(rounds.map(({ one, other }) => one.rate / other.rate)),
    processorRatio: spreadOf(rounds.map(({ one, other }) => other.processor / one.processor)),
  }
}

export const missesGoal = ({ goal = 0, ratio }: Result): boolean => ratio.median < goal

export function formatTable(results: readonly Result[]): string {
  const header = ['work', 'against', 'work', 'against', 'ratio', 'min–max', 'goal', 'work', 'against', 'ratio']
  const units = ['', '', 'req/s', 'req/s', '', '', '', 'µs', 'µs', '']
  const rows = results.map(({ work, against, goal, rate, processor, ratio, processorRatio }) => [
    work,
    against,
    rate.one.toFixed(0),
    rate.other.toFixed(0),
    ratio.median.toFixed(2),
    `${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)}`,
    goal === undefined ? '' : `≥ ${goal.toFixed(2)}`,
    processor.one.toFixed(1),
    processor.other.toFixed(1),
    processorRatio.median.toFixed(2),
  ])
  const table = [header, units, ...rows]
  const widths = header.map((_, column) => Math.max(...table.map(row => row[column]!.length)))
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!))).join('  ')
  return table.map(line).join('\n')
}

/** Writes `results/latest.json` beside this file. */
export function writeResults(results: readonly Result[]): void {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const report = { date: new Date(), node: process.version, processor: cpus()[0]?.model, results }
  writeFileSync(new URL('latest.json', folder), `${JSON.stringify(report, null, 2)}\n`)
}

function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
