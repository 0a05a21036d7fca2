// Where results go: beside this file as JSON, and, once there are all of a day, into docs/benchmarks.md.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { cellsOf, header, type Section } from './report.ts'

/** By the names of what is measured. */
export type Sections = Readonly<Record<string, Section>>

const folder = new URL('results/', import.meta.url)
const file = new URL('latest.json', folder)

/** Writes `results/latest.json`: what was measured now, and the rest of today; answers both. */
export function writeResults(measured: Sections): Sections {
  const facts = { day: today(), machine: machine(), node: process.version }
  const sections = { ...readSections(facts), ...measured }
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify({ ...facts, sections }, null, 2)}\n`)
  return sections
}

function readSections(facts: object): Sections {
  if (!existsSync(file)) return {}
  const { sections, ...before } = JSON.parse(readFileSync(file, 'utf8'))
  return isDeepStrictEqual(before, facts) ? sections : {}
}

const today = (): string => new Date().toISOString().slice(0, 10)

/** Writes `docs/benchmarks.md`. */
export function writePage(sections: readonly Section[]): void {
  writeFileSync(new URL('../docs/benchmarks.md', import.meta.url), formatPage(sections))
}

function machine() {
  const processors = cpus()
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    system: `${type()} ${release()}`,
  }
}

const introduction = `<!-- Written by \`npm run bench\`: changes here are lost. -->

# Benchmarks

\`npm run bench\` made this page: all figures are of one day on one machine, those of a table of one run. The machine also
ran the generator of the load (and PostgreSQL, where there is one). So look at the ratios: both sides had the same
conditions, by turns. The command ends with an error where a goal is missed.`

const opponents = `## The opponents

Both opponents are in \`bench/opponents/\` and answer the few URLs that are measured, with the same bytes and the same header fields as
the service; the run compares them before it measures. They look a token's digest up, check who may do what, read pages'
numbers and snippets' fields as strictly, and count with \`count(*)\`. Their statements are prepared once, their
rows are arrays, and a page's keys are found in an index before any row is read.

- **by hand**: Fastify with response schemas and the service's limits. This one has the goals.
- **bare**: \`node:http\` and nothing else. It is shown, without goals.

A person who writes such a service by hand highlights where the request is handled; so do the opponents, with the same
functions that the service runs in a thread.`

function formatPage(sections: readonly Section[]): string {
  const { processor, cores, memory, system } = machine()
  const facts = [
    `- date: ${today()}`,
    `- machine: ${processor}, ${cores} cores, ${memory}, ${system}`,
    `- Node ${process.version}`,
    '- data: 10,000 users in 40 groups, 100,000 snippets',
  ]
  const parts = [introduction, facts.join('\n'), ...sections.map(formatTable), opponents]
  return `${parts.join('\n\n')}\n`
}

function formatTable({ title, text, rows }: Section): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, column) => (column < 3 ? '---' : '--:'))
  const table = [header, rule, ...rows.map(cellsOf)].map(line)
  return [`## ${title}`, text, table.join('\n')].join('\n\n')
}
