// Stores results as JSON in `results/` and, when all sections are of the same day and commit, in docs/benchmarks.md.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { findVersion, formatVersion } from '../scripts/version.ts'
import { formatCells, header, type Section } from './report.ts'

/** The sections by name. */
export type Sections = Readonly<Record<string, Section>>

const folder = new URL('results/', import.meta.url)
const file = new URL('latest.json', folder)

const version = formatVersion(findVersion())

/** Merges these sections with earlier ones of today and of the same commit, writes them to `results/latest.json`, and returns them all. */
export function writeResults(measured: Sections): Sections {
  const facts = { day: today(), commit: version, machine: machine(), node: process.version }
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

\`npm run bench\` wrote this page. All results are from one day, one commit and one machine, and all results of a table are from one run.
The machine also ran the load generator (and PostgreSQL, if the table uses it). So only the ratios are meaningful: both sides
were measured in turn under the same conditions. The command exits with an error if a goal is missed.`

const opponents = `## The opponents

Both opponents are in \`bench/opponents/\`. They implement only the measured URLs, with the same bytes and header fields as the
service, which the run checks before it measures. They look up a token's digest, check permissions, validate page numbers and
the fields of snippets as strictly as the service, and count with \`count(*)\`. Their statements are prepared once, their rows
are arrays, and the keys of a page are found in an index before any row is read.

- **hand-written**: Fastify with response schemas and the service's limits. The goals refer to this opponent.
- **bare**: only \`node:http\`. It is shown without goals.
- **by hand**: Fastify with a schema of the query, on both databases, for the list of orders.

Hand-written code would highlight in the request handler. The opponents do so too, with the same functions that the service
runs in a thread.`

function formatPage(sections: readonly Section[]): string {
  const { processor, cores, memory, system } = machine()
  const facts = [
    `- date: ${today()}`,
    `- commit: ${version}`,
    `- machine: ${processor}, ${cores} cores, ${memory}, ${system}`,
    `- Node ${process.version}`,
    '- data: 10,000 users in 40 groups, 100,000 snippets, 10,000 rows with keys of each kind, 100,000 orders of 1,000 customers',
  ]
  const services = [introduction, facts.join('\n'), ...sections.map(formatTable), opponents]
  return `${services.join('\n\n')}\n`
}

function formatTable({ title, text, rows }: Section): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = header.map((_, column) => (column < 3 ? '---' : '--:'))
  const table = [header, rule, ...rows.map(formatCells)].map(line)
  return [`## ${title}`, text, table.join('\n')].join('\n\n')
}
