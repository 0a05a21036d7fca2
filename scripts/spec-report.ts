/** Compares the rules with the results of the tests, and prints both. */
import { parseRuleIds, type Rule } from './spec-rules.ts'
import { databases, type TestResult } from './test-results.ts'

export interface Evidence {
  rules: readonly Rule[]
  /** Rule id → the reason why no test proves it yet. */
  open: ReadonlyMap<string, string>
  /** Rule id, whether or not it exists → the tests that name it. */
  tests: ReadonlyMap<string, readonly TestResult[]>
  /** Test files that ended before their tests did. */
  brokenFiles: readonly string[]
}

export function groupByRule(rules: readonly Rule[], results: readonly TestResult[]): Map<string, TestResult[]> {
  const named = results.flatMap(result => parseRuleIds(result.name, rules).map(id => ({ id, result })))
  const groups = Map.groupBy(named, ({ id }) => id)
  return new Map([...groups].map(([id, members]) => [id, members.map(({ result }) => result)]))
}

/** One line for each contradiction between the rules, the open list and the tests. */
export function findProblems(evidence: Evidence): string[] {
  const { rules, open, tests, brokenFiles } = evidence
  const isRule = (id: string) => rules.some(rule => rule.id === id)
  return [
    ...(rules.length === 0 ? ['The index lists no rules.'] : []),
    ...brokenFiles.map(file => `${file} ended before its tests did.`),
    ...[...tests.entries()]
      .filter(([id]) => !isRule(id))
      .flatMap(([id, named]) => named.map(test => `${format(test)} names ${id}, which is not a rule.`)),
    ...[...open.keys()].filter(id => !isRule(id)).map(id => `The open list names ${id}, which is not a rule.`),
    ...rules.flatMap(rule => findProblemsOfRule(rule, evidence)),
  ]
}

export function formatReport(evidence: Evidence, problems: readonly string[]): string {
  const { rules, open, tests } = evidence
  const shown = rules.filter(({ id }) => !open.has(id) || tests.has(id))
  return [
    ...[...Map.groupBy(shown, rule => rule.chapter)].map(([chapter, members]) =>
      section(
        chapter,
        members.map(rule => formatRule(rule, tests.get(rule.id))),
      ),
    ),
    section(
      'Open',
      [...open].map(([id, reason]) => `${id}  ${reason}`),
    ),
    section('Problems', problems),
    formatSummary(evidence, problems),
  ]
    .filter(part => part !== '')
    .join('\n\n')
}

function findProblemsOfRule({ id }: Rule, { open, tests }: Evidence): string[] {
  const own = tests.get(id) ?? []
  const failed = own.filter(test => test.outcome === 'failed')
  const isOpen = open.has(id)
  return [
    ...failed.map(test => `${id} failed: ${format(test)}.`),
    ...(isOpen && own.length > failed.length ? [`${id} has a passing test: remove it from the open list.`] : []),
    ...(!isOpen && own.length === 0 ? [`${id} has no test and is not on the open list.`] : []),
  ]
}

/** A test that runs on several databases is one line. */
function formatRule(rule: Rule, tests: readonly TestResult[] = []): string {
  const lines = Map.groupBy(tests, test => `  ${test.outcome}  ${test.name}  (${test.file})`)
  return [
    `${rule.id}  ${rule.text}`,
    ...[...lines].map(([line, group]) => `${line}${formatDatabases(group)}`),
    ...(tests.length === 0 ? ['  no test'] : []),
  ].join('\n')
}

function formatDatabases(tests: readonly TestResult[]): string {
  const names = new Set(tests.flatMap(test => test.database ?? []))
  return names.size > 0 ? `  [${[...names].join(', ')}]` : ''
}

function format(test: TestResult): string {
  return `"${test.name}" (${[test.file, test.database].filter(Boolean).join(', ')})`
}

function section(heading: string, lines: readonly string[]): string {
  return lines.length > 0 ? [`# ${heading}\n`, ...lines].join('\n') : ''
}

function formatSummary(evidence: Evidence, problems: readonly string[]): string {
  const { rules, open } = evidence
  const perDatabase = databases.map(name => `${countProven(evidence, test => test.database === name)} on ${name}`)
  const proven = `${countProven(evidence)} proven (${perDatabase.join(', ')})`
  return `${rules.length} rules: ${proven}, ${open.size} open, ${problems.length} problems.`
}

/** The number of rules that passing tests prove; or only those tests that count. */
export const countProven = (
  { rules, tests }: Evidence,
  isCounted: (test: TestResult) => boolean = () => true,
): number => rules.filter(({ id }) => tests.get(id)?.some(test => test.outcome === 'passed' && isCounted(test))).length
