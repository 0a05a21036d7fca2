/** The results of a run of the tests: which tests prove something, and on which files they ran. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FinishedTest } from './test-process.ts'
import type { Version } from './version.ts'

export interface TestResult {
  readonly name: string
  /** Relative to the working directory. */
  readonly file: string
  /** The database, if the test is in a suite for one. */
  readonly database: string | undefined
  readonly outcome: 'passed' | 'failed'
}

/** The results of `npm test`. */
export interface StoredRun extends Version {
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
