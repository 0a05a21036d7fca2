import assert from 'node:assert/strict'
import { globSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, suite, test } from 'node:test'
import { listGroups } from './test-files.ts'
import { type FileRun, runFiles } from './test-run.ts'

const filesOf = (run: 'usual' | 'thorough', patterns: readonly string[] = []) =>
  listGroups(run, patterns, 4)
    .flatMap(group => group.files)
    .toSorted()

suite('listGroups', () => {
  test('each test file belongs to a run, and to one group of it', () => {
    const all = globSync('{src,scripts,test,examples,templates,bench}/**/*.test.ts').toSorted()
    const [usual, thorough] = [filesOf('usual'), filesOf('thorough')]
    assert.deepEqual([...new Set([...usual, ...thorough])].toSorted(), all)
    for (const files of [usual, thorough]) assert.equal(new Set(files).size, files.length)
  })

  test('the thorough run has the files of its list, and those that repeat more', () => {
    const [usual, thorough] = [filesOf('usual'), filesOf('thorough')]
    assert.deepEqual(
      ['test/golden/golden.test.ts', 'test/http/filter-properties.test.ts', 'test/http/cors.test.ts'].map(file => [
        usual.includes(file),
        thorough.includes(file),
      ]),
      [
        [false, true],
        [true, true],
        [true, false],
      ],
    )
  })

  test('patterns choose files of both', () => {
    assert.deepEqual(filesOf('usual', ['test/golden/*', 'test/http/cors.*']), [
      'test/golden/golden.test.ts',
      'test/http/cors.test.ts',
    ])
  })
})

suite('runFiles', () => {
  const folder = mkdtempSync(join(tmpdir(), 'test-run-'))
  after(() => rmSync(folder, { recursive: true }))

  async function run(files: Readonly<Record<string, string>>): Promise<readonly Omit<FileRun, 'seconds'>[]> {
    const paths = Object.keys(files).map(name => relative('', join(folder, name)))
    for (const [name, code] of Object.entries(files))
      writeFileSync(join(folder, name), `import { after, suite, test } from 'node:test'\n${code}\n`)
    // node:test sets this variable, and refuses to run tests from inside a test if it is set.
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const told: FileRun[] = []
    const { files: runs, hasPassed } = await runFiles(paths, { environment, onFile: file => void told.push(file) })
    assert.equal(
      hasPassed,
      runs.every(({ failures }) => failures.length === 0),
    )
    assert.deepEqual(told, runs)
    return runs.map(({ seconds: _seconds, file, ...rest }) => ({ ...rest, file: file.replace(/.*\//, '') }))
  }

  test('each file is told of with its tests', async () => {
    const [one, other, ...others] = await run({
      'a.test.ts': `suite('SQLite', () => suite('x', () => test('one', () => {})))\ntest.skip('two', () => {})`,
      'b.test.ts': `test('three', () => { throw new Error('it broke') })`,
    })
    assert.deepEqual([one!.file, one!.tests, one!.failures, one!.isBroken], ['a.test.ts', 2, [], false])
    assert.deepEqual(
      one!.results.map(({ name, database, outcome }) => [name, database, outcome]),
      [
        ['one', 'SQLite', 'passed'],
        ['x', 'SQLite', 'passed'],
        ['SQLite', undefined, 'passed'],
      ],
    )
    assert.deepEqual([other!.file, other!.tests, other!.isBroken], ['b.test.ts', 1, false])
    assert.match(other!.failures.join(), /^\S+b\.test\.ts:2: three\nError: it broke\n/)
    assert.deepEqual(others, [])
  })

  test('a file that fails while it loads is broken, and the other files run', async () => {
    const runs = await run({ 'a.test.ts': `throw new Error('not today')`, 'b.test.ts': `test('one', () => {})` })
    assert.deepEqual(
      runs.map(({ file, isBroken, failures }) => [file, isBroken, failures.length]),
      [
        ['a.test.ts', true, 1],
        ['b.test.ts', false, 0],
      ],
    )
  })

  test('if the process ends, the files that it did not come to are broken', async () => {
    const runs = await run({ 'a.test.ts': `test('one', () => process.exit(3))`, 'b.test.ts': `test('two', () => {})` })
    assert.deepEqual(
      runs.map(({ isBroken, failures }) => [isBroken, failures.length]),
      [
        [true, 1],
        [true, 1],
      ],
    )
  })
})
