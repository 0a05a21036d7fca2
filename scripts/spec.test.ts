import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findProblems, groupByRule } from './spec-report.ts'
import { parseIndex, parseRuleIds } from './spec-rules.ts'
import { storeRun, type TestResult } from './test-results.ts'
import { runFiles } from './test-run.ts'

const index = '# Specification\n\n## One\n\n- `SVC-1` First.\n- `SVC-2` Second.\n\n## Two\n\n- `RES-GAP-b1` Third.\n'
const rules = parseIndex(index)

suite('parseIndex', () => {
  test('parses ids, texts and chapters', () => {
    assert.deepEqual(rules, [
      { id: 'SVC-1', text: 'First.', chapter: 'One' },
      { id: 'SVC-2', text: 'Second.', chapter: 'One' },
      { id: 'RES-GAP-b1', text: 'Third.', chapter: 'Two' },
    ])
  })

  test('refuses a repeated id', () => {
    assert.throws(() => parseIndex(`${index}- \`SVC-1\` Again.\n`), /SVC-1 twice/)
  })

  test('the project’s index has all 122 rules, and the open list names only existing rules', () => {
    const own = parseIndex(readFileSync(new URL('../docs/specification.md', import.meta.url), 'utf8'))
    const open = JSON.parse(readFileSync(new URL('../docs/specification-open.json', import.meta.url), 'utf8')) as object
    assert.equal(own.length, 122)
    assert.deepEqual(
      Object.keys(open).filter(id => !own.some(rule => rule.id === id)),
      [],
    )
  })
})

suite('parseRuleIds', () => {
  const cases: [name: string, ids: string[]][] = [
    ['SVC-1: one', ['SVC-1']],
    ['SVC-1, RES-GAP-b1: two', ['SVC-1', 'RES-GAP-b1']],
    ['SVC-99: unknown', ['SVC-99']],
    ['UTF-8: not a rule', []],
    ['SVC-1st is not an id', []],
    ['about SVC-1', []],
  ]
  for (const [name, ids] of cases) test(`"${name}"`, () => assert.deepEqual(parseRuleIds(name, rules), ids))
})

suite('findProblems', () => {
  const allPass = ['SVC-1: a', 'SVC-2: b', 'RES-GAP-b1: c'].map(name => result(name))

  test('no problem if every rule has a passing test or is open', () => {
    assert.deepEqual(problems(allPass), [])
    assert.deepEqual(problems(allPass.slice(1), { 'SVC-1': 'Later.' }), [])
  })

  test('a rule without a test that is not on the open list', () => {
    assert.deepEqual(problems(allPass.slice(1)), ['SVC-1 has no test and is not on the open list.'])
  })

  test('a failed test, even if others passed', () => {
    const failed: TestResult = { ...result('SVC-1: a'), database: 'PostgreSQL', outcome: 'failed' }
    assert.deepEqual(problems([...allPass, failed]), ['SVC-1 failed: "SVC-1: a" (a.test.ts, PostgreSQL).'])
  })

  test('an open rule with a passing test', () => {
    assert.deepEqual(problems(allPass, { 'SVC-1': 'Later.' }), [
      'SVC-1 has a passing test: remove it from the open list.',
    ])
  })

  test('a rule that does not exist, named by a test or the open list', () => {
    assert.deepEqual(problems([...allPass, result('SVC-9: d')], { 'SVC-8': 'Later.' }), [
      '"SVC-9: d" (a.test.ts, SQLite) names SVC-9, which is not a rule.',
      'The open list names SVC-8, which is not a rule.',
    ])
  })

  test('a file that ended before its tests did', () => {
    assert.deepEqual(problems(allPass, {}, ['b.test.ts']), ['b.test.ts ended before its tests did.'])
  })

  function result(name: string): TestResult {
    return { name, file: 'a.test.ts', database: 'SQLite', outcome: 'passed' }
  }

  function problems(results: TestResult[], open: Record<string, string> = {}, brokenFiles: string[] = []) {
    const tests = groupByRule(rules, results)
    return findProblems({ rules, open: new Map(Object.entries(open)), tests, brokenFiles })
  }
})

suite('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'spec-'))
  after(() => rmSync(folder, { recursive: true }))

  test('a rule is proved on the databases on which its tests passed', async () => {
    const { stdout, status } = await spec(
      { 'RES-GAP-b1': 'Later.' },
      `for (const name of ['SQLite', 'PostgreSQL'])
        suite(name, () => suite('over a socket', () => test('SVC-1, SVC-2: works', () => {})))`,
    )
    assert.match(stdout, /^SVC-1 {2}First\.\n {2}passed {2}SVC-1, SVC-2: works {2}\(.*\) {2}\[SQLite, PostgreSQL\]$/m)
    assert.match(stdout, /^# Open\n\nRES-GAP-b1 {2}Later\.$/m)
    assert.match(stdout, /^3 rules: 2 proven \(2 on SQLite, 2 on PostgreSQL\), 1 open, 0 problems\.$/m)
    assert.equal(status, 0)
  })

  test('skipped, todo and empty tests prove nothing; subtests count', async () => {
    const { stdout, status } = await spec(
      {},
      `test('SVC-1: skipped', { skip: '' }, () => {})
       test('SVC-1: todo', { todo: true }, () => { throw new Error('not yet') })
       suite('SVC-1: empty', () => {})
       test('SVC-1: all services skipped', t => t.test('part', { skip: true }, () => {}))
       test('whole', async t => { await t.test('SVC-2: part', () => {}) })
       suite('RES-GAP-b1: whole', () => { test('part', () => { throw new Error('wrong') }) })`,
    )
    assert.match(stdout, /^# Problems\n\nSVC-1 has no test .*\nRES-GAP-b1 failed: "RES-GAP-b1: whole" .*\n\n/m)
    assert.match(stdout, /3 rules: 1 proven .* 2 problems/)
    assert.equal(status, 1)
  })

  test('--write names the commit on the page, in place of an earlier one', async () => {
    const all = "test('SVC-1, SVC-2, RES-GAP-b1: works', () => {})"
    const page = () => readFileSync(join(folder, 'index.md'), 'utf8')
    await spec({}, all, { isChanged: true, args: ['--write'] })
    assert.match(page(), /: the tests of the commit c0ffeec0ffee with changes prove 3 of 3 rules\.$/m)
    await spec({}, all, { args: ['--write'] })
    const written = page()
    assert.match(
      written,
      /^\*\*Proven:\*\* `npm run spec -- --write` wrote this line on \d{4}-\d\d-\d\d: the tests of the commit c0ffeec0ffee prove 3 of 3 rules\.$/m,
    )
    spawnSpec(['--write'])
    assert.equal(page(), written)
  })

  interface SpecOptions {
    readonly isChanged?: boolean
    readonly args?: readonly string[]
  }

  async function spec(open: object, tests: string, { isChanged = false, args = [] }: SpecOptions = {}) {
    writeFileSync(join(folder, 'index.md'), index)
    writeFileSync(join(folder, 'open.json'), JSON.stringify(open))
    await runMadeUp(tests, isChanged)
    return spawnSpec(args)
  }

  function spawnSpec(args: readonly string[]) {
    const command = fileURLToPath(new URL('spec.ts', import.meta.url))
    const files = ['--index', 'index.md', '--open', 'open.json', '--results', 'results.json']
    return spawnSync(process.execPath, [command, ...files, ...args], { encoding: 'utf8', cwd: folder })
  }

  /** Runs the tests as `npm test` does, and stores their results. */
  async function runMadeUp(tests: string, isChanged: boolean) {
    const file = join(folder, 'made-up.test.ts')
    writeFileSync(file, `import { suite, test } from 'node:test'\n${tests}\n`)
    // node:test sets this variable, and refuses to run tests from inside a test if it is set.
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const { files } = await runFiles([relative('', file)], { environment })
    const results = files.flatMap(run => run.results)
    const brokenFiles = files.filter(({ isBroken }) => isBroken).map(run => run.file)
    const version = { commit: 'c0ffee'.repeat(7), isChanged, tree: '' }
    storeRun(join(folder, 'results.json'), { ...version, results, brokenFiles })
  }
})
