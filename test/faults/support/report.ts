// What the faults found: a line and a table for the terminal, docs/reliability.md, and the same as JSON.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'

/** What became of one fault. */
export interface Outcome {
  /** Of its file, without the ending. */
  readonly name: string
  readonly fault: string
  readonly promise: string
  readonly finding: string
  readonly result: 'held' | 'broken' | 'skipped'
  readonly seconds: number
}

/** What a fault's process sends: first what it is, then what it found. `deadline` is in seconds. */
export type Message =
  | (Pick<Outcome, 'fault' | 'promise'> & { readonly deadline: number })
  | Pick<Outcome, 'result' | 'finding'>

export const page = new URL('../../../docs/reliability.md', import.meta.url)

export const formatLine = ({ name, result, finding, seconds }: Outcome): string =>
  `${result.padEnd(7)}  ${name} (${seconds.toFixed(0)} s): ${oneLine(finding)}`

/** Faults, results and times; the findings are too long for a terminal's width. */
export function formatTable(outcomes: readonly Outcome[]): string {
  const rows = [
    ['fault', 'result', 'seconds'],
    ...outcomes.map(({ name, result, seconds }) => [name, result, seconds.toFixed(0)]),
  ]
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]!.length)))
  const line = ([name, result, seconds]: readonly string[]) =>
    `${name!.padEnd(widths[0]!)}  ${result!.padEnd(widths[1]!)}  ${seconds!.padStart(widths[2]!)}`
  return rows.map(line).join('\n')
}

/** The page: what was done, on what, and what was found. */
export function formatPage(outcomes: readonly Outcome[], date = new Date()): string {
  const { processor, cores, memory, kernel, node } = machine()
  const rows = outcomes.map(
    ({ name, fault, promise, finding, result }) =>
      `| [${cell(fault)}](../test/faults/${name}.ts) | ${cell(promise)} | ${cell(finding)} | ${result} |`,
  )
  return `# Reliability

What can happen to a running service, what it promises then, and what was seen when it was done to the real one.
\`npm run test:faults\` does all of it, from a fresh clone, and writes this page. Each fault checks its promise: the bounds
stand in its file, and so do the changes of the code that it was seen to fail with.

${date.toISOString().slice(0, 10)}, ${processor}, ${cores} cores, ${memory} memory, ${kernel}, Node ${node}.

| fault | promise | finding | result |
|---|---|---|---|
${rows.join('\n')}
`
}

/** The names of the faults' files that the text of a page links to. */
export const namesOnPage = (text: string): readonly string[] =>
  [...text.matchAll(/\]\(\.\.\/test\/faults\/([^)]+)\.ts\)/g)].map(([, name]) => name!)

const folder = new URL('../results/', import.meta.url)
const latest = new URL('latest.json', folder)

/** Writes docs/reliability.md, and `results/latest.json` in the folder of the faults. */
export function writeResults(outcomes: readonly Outcome[]): void {
  writeFileSync(page, formatPage(outcomes))
  mkdirSync(folder, { recursive: true })
  const report = { date: new Date(), ...machine(), outcomes }
  writeFileSync(latest, `${JSON.stringify(report, null, 2)}\n`)
}

/** All faults: what is new of some, and what was seen of the others on this day; undefined where one was not done then. */
export function withEarlier(outcomes: readonly Outcome[], names: readonly string[]): readonly Outcome[] | undefined {
  if (!existsSync(latest)) return undefined
  const before = JSON.parse(readFileSync(latest, 'utf8')) as { date: string; outcomes: readonly Outcome[] }
  if (before.date.slice(0, 10) !== new Date().toISOString().slice(0, 10)) return undefined
  const all = names.flatMap(name => [...outcomes, ...before.outcomes].find(outcome => outcome.name === name) ?? [])
  return all.length === names.length ? all : undefined
}

function machine() {
  const processors = cpus()
  return {
    processor: processors[0]?.model ?? 'unknown processor',
    cores: processors.length,
    memory: `${(totalmem() / 2 ** 30).toFixed(0)} GiB`,
    kernel: `${type()} ${release()}`,
    node: process.version,
  }
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const cell = (text: string): string => oneLine(text).replaceAll('|', '\\|').replaceAll('<', '&lt;')
