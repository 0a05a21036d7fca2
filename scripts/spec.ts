/**
 * `npm run spec`: every rule of the specification with the tests that prove it.
 *
 *   node scripts/spec.ts [--index docs/specification.md] [--open docs/specification-open.json] [test globs…]
 *
 * Runs the tests, prints rules, open rules and one summary line, and exits with 1 if the index, the open list
 * and the tests contradict each other (see `findProblems`).
 */
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findProblems, formatReport, groupByRule } from './spec-report.ts'
import { parseIndex } from './spec-rules.ts'
import { runTests } from './spec-run.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    index: { type: 'string', default: 'docs/specification.md' },
    open: { type: 'string', default: 'docs/specification-open.json' },
  },
})
const globs = positionals.length > 0 ? positionals : ['src/**/*.test.ts', 'test/**/*.test.ts']
const setup = 'test/support/global-setup.ts'

const rules = parseIndex(readFileSync(values.index, 'utf8'))
const open = new Map(Object.entries<string>(JSON.parse(readFileSync(values.open, 'utf8'))))
const { results, brokenFiles } = await runTests(globs, existsSync(setup) ? setup : undefined)
const evidence = { rules, open, tests: groupByRule(rules, results), brokenFiles }
const problems = findProblems(evidence)

console.log(formatReport(evidence, problems))
process.exitCode = problems.length > 0 ? 1 : 0
