/**
 * `npm run spec`: every rule of the specification with the tests that prove it.
 *
 *   node scripts/spec.ts [--index docs/specification.md] [--open docs/specification-open.json] [--results <file>] [--write]
 *
 * Reads the results of the last `npm test`, and runs the tests only if a file has changed since. Prints rules, open rules
 * and one summary line, and exits with 1 if the index, the open list and the tests contradict each other (see
 * `findProblems`). `--write` names the tested commit in the index.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { countProven, findProblems, formatReport, groupByRule } from './spec-report.ts'
import { parseIndex } from './spec-rules.ts'
import { readRun, resultsPath, type StoredRun } from './test-results.ts'
import { findVersion, formatVersion } from './version.ts'

const { values } = parseArgs({
  options: {
    index: { type: 'string', default: 'docs/specification.md' },
    open: { type: 'string', default: 'docs/specification-open.json' },
    results: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})

function findCurrentRun(): StoredRun {
  const stored = readRun(resultsPath)
  if (stored !== undefined && stored.tree === findVersion()?.tree) return stored
  console.log('The files have changed since the last `npm test`, so the tests run now.\n')
  spawnSync(process.execPath, [fileURLToPath(new URL('test.ts', import.meta.url))], { stdio: 'inherit' })
  return readRun(resultsPath) ?? fail(`${resultsPath} is missing: run npm test in a checkout of the repository`)
}

const mark = '**Proven:** `npm run spec -- --write`'

function fail(message: string): never {
  throw new Error(message)
}

const run = values.results === undefined ? findCurrentRun() : readRun(values.results)
const { results, brokenFiles, commit, isChanged } = run ?? fail(`${values.results} is missing`)
const version = formatVersion({ commit, isChanged })
const page = readFileSync(values.index, 'utf8')
const rules = parseIndex(page)
const open = new Map(Object.entries<string>(JSON.parse(readFileSync(values.open, 'utf8'))))
const evidence = { rules, open, tests: groupByRule(rules, results), brokenFiles }
const problems = findProblems(evidence)

console.log(formatReport(evidence, problems))
console.log(`The tests ran on the commit ${version}.`)
if (values.write) writeFileSync(values.index, nameCommit(page))
process.exitCode = problems.length > 0 ? 1 : 0

/** Puts a line with the commit below the title, in place of an earlier one. */
function nameCommit(text: string): string {
  const day = new Date().toISOString().slice(0, 10)
  const proven = `prove ${countProven(evidence)} of ${rules.length} rules`
  const line = `${mark} wrote this line on ${day}: the tests of the commit ${version} ${proven}.`
  const [title, ...rest] = text.split('\n\n').filter(paragraph => !paragraph.startsWith(mark))
  return [title, line, ...rest].join('\n\n')
}
