/** The results of a run of the tests: which tests prove something, and whether the files have changed since. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FinishedTest } from './test-reporter.ts'

export interface TestResult {
  readonly name: string
  /** Relative to the working directory. */
  readonly file: string
  /** The database, if the test is in a suite for one. */
  readonly database: string | undefined
  readonly outcome: 'passed' | 'failed'
}

/** The results of `npm test`. */
export interface StoredRun {
  /** The commit that was checked out. */
  readonly commit: string
  /** Whether files differed from the commit. */
  readonly isChanged: boolean
  /** The id of all files in Git, with changes that were not committed. */
  readonly tree: string
  /** Without skipped and todo tests, which prove nothing. */
  readonly results: readonly TestResult[]
  /** Files that failed outside their tests. */
  readonly brokenFiles: readonly string[]
}

export const databases = ['SQLite', 'PostgreSQL']

/** The results of tests of one file. */
export function collectResults(file: string, tests: readonly FinishedTest[]): readonly TestResult[] {
  const children = Map.groupBy(tests, ({ parentId }) => parentId)
  return tests.flatMap(test => {
    const { name, outcome } = test
    if (outcome === 'ignored' || (outcome === 'passed' && !isProof(test, children))) return []
    return [{ name, file, database: findDatabase(test, tests), outcome }]
  })
}

type Children = ReadonlyMap<number | undefined, readonly FinishedTest[]>

/** A test proves something if it passes; with subtests, if one of them proves something. An empty suite proves nothing. */
function isProof({ id, isSuite, outcome }: FinishedTest, children: Children): boolean {
  if (outcome !== 'passed') return false
  const parts = id === undefined ? undefined : children.get(id)
  return parts ? parts.some(part => isProof(part, children)) : !isSuite
}

function findDatabase({ parentId }: FinishedTest, tests: readonly FinishedTest[]): string | undefined {
  const parent = tests.find(({ id }) => id !== undefined && id === parentId)
  if (parent === undefined) return undefined
  return databases.find(database => parent.name.startsWith(database)) ?? findDatabase(parent, tests)
}

/** Where `npm test` stores its results. */
export const resultsPath = 'node_modules/.cache/test-results.json'

export function storeRun(path: string, run: StoredRun): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(run))
}

/** Undefined if the tests have not run. */
export function readRun(path: string): StoredRun | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/** What was tested. */
export type Version = Pick<StoredRun, 'commit' | 'isChanged' | 'tree'>

/** The files as they are now. Undefined without Git. */
export function findVersion(): Version | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'resource-api-tree-'))
  try {
    // Git adds the files to a copy of its index, so nothing is staged.
    const index = join(folder, 'index')
    copyFileSync(git(['rev-parse', '--git-path', 'index']), index)
    const environment = { ...process.env, GIT_INDEX_FILE: index }
    git(['add', '--all'], environment)
    const [commit, committed, tree] = [
      git(['rev-parse', 'HEAD']),
      git(['rev-parse', 'HEAD^{tree}']),
      git(['write-tree'], environment),
    ]
    return { commit, isChanged: tree !== committed, tree }
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const git = (args: readonly string[], environment: NodeJS.ProcessEnv = process.env): string =>
  execFileSync('git', args, { encoding: 'utf8', env: environment, stdio: ['ignore', 'pipe', 'ignore'] }).trim()
