// Writes the findings of the faults: to the terminal, to docs/reliability.md and to a JSON file.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'

/** The outcome of one fault. */
export interface Outcome {
  /** The file name without `.ts`. */
  readonly name: string
  readonly fault: string
  readonly promise: string
  readonly finding: string
  readonly result: 'held' | 'broken' | 'skipped'
  readonly seconds: number
}

/** The messages of a fault process: first its description, then its finding. */
export type Message = Pick<Outcome, 'fault' | 'promise'> | Pick<Outcome, 'result' | 'finding'>

/** The files that a run writes: a page, and a JSON file that later runs of the same day add to. */
export interface Output {
  readonly page: URL
  readonly latest: URL
}

export const output: Output = {
  page: new URL('../../../docs/reliability.md', import.meta.url),
  latest: new URL('../results/latest.json', import.meta.url),
}

export const formatLine = ({ name, result, finding, seconds }: Outcome): string =>
  `${result.padEnd(7)}  ${name} (${seconds.toFixed(0)} s): ${toOneLine(finding)}`

/** Formats a table of results and times, without the findings, which are too long for a terminal. */
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

/** Formats docs/reliability.md. `version` names the commit that was tested. */
export function formatPage(outcomes: readonly Outcome[], version: string, date = new Date()): string {
  const { processor, cores, memory, kernel, node } = machine()
  const rows = outcomes.map(
    ({ name, fault, promise, finding, result }) =>
      `| [${formatCell(fault)}](../test/faults/${name}.ts) | ${formatCell(promise)} | ${formatCell(finding)} | ${result} |`,
  )
  return `# Reliability

\`npm run test:faults\` injects faults into the real service and writes this page: each fault, what the service promises
while it lasts, and what the run found. The result is \`held\`, or \`broken\` if the service did not keep the promise. The
file of each fault contains the limits that it checks, and lists defects of the code that made it fail.

A time is compared with its bound without the delay that other programs cause;
[a sleeping thread](../test/faults/support/machine.ts) measures that delay.

Commit ${version}, ${date.toISOString().slice(0, 10)}, ${processor}, ${cores} cores, ${memory} memory, ${kernel}, Node ${node}.

| fault | promise | finding | result |
|---|---|---|---|
${rows.join('\n')}
`
}

/** Lists the names of the fault files that the page links to. */
export const namesOnPage = (text: string): readonly string[] =>
  [...text.matchAll(/\]\(\.\.\/test\/faults\/([^)/]+)\.ts\)/g)].map(([, name]) => name!)

/** Writes the page and the JSON file. */
export function writeResults(outcomes: readonly Outcome[], version: string, { page, latest }: Output): void {
  for (const file of [page, latest]) mkdirSync(new URL('.', file), { recursive: true })
  writeFileSync(page, formatPage(outcomes, version))
  const report = { date: new Date(), version, ...machine(), outcomes }
  writeFileSync(latest, `${JSON.stringify(report, null, 2)}\n`)
}

/**
 * Adds the earlier outcomes of the same day and version to new outcomes of some faults; undefined if a fault has no such
 * outcome.
 */
export function mergeEarlierOutcomes(
  outcomes: readonly Outcome[],
  names: readonly string[],
  version: string,
  { latest }: Output,
): readonly Outcome[] | undefined {
  if (!existsSync(latest)) return undefined
  const before = JSON.parse(readFileSync(latest, 'utf8')) as Report
  if (before.version !== version || before.date.slice(0, 10) !== new Date().toISOString().slice(0, 10)) return undefined
  const all = names.flatMap(name => [...outcomes, ...before.outcomes].find(outcome => outcome.name === name) ?? [])
  return all.length === names.length ? all : undefined
}

interface Report {
  readonly date: string
  readonly version: string
  readonly outcomes: readonly Outcome[]
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

const toOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim()

const formatCell = (text: string): string => toOneLine(text).replaceAll('|', '\\|').replaceAll('<', '&lt;')
