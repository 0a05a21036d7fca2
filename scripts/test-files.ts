/** Which test files there are, which of the two runs contains each of them, and which files share a process. */
import { globSync, readFileSync } from 'node:fs'
import { matchesGlob } from 'node:path'

/**
 * Only `npm run test:thorough` runs these files: they install packages, measure, compile programs, test the tools of this repository, run
 * those of the documentation, or repeat with other values what `npm test` proves.
 */
const thorough: readonly string[] = [
  ...[
    'bench/*',
    'scripts/*',
    'test/faults/*',
    'test/{build,docs,getting-started,service-pages,site}.test.ts',
    'test/golden/*',
  ],
  ...['test/openapi/{fuzz,generators}.test.ts', 'test/types/*'],
  ...['test/deployment/*', 'test/postgres/{pgbouncer,postgresql-page,replicas}.test.ts'],
  'test/http/{inspect,inspected-schemas}.test.ts',
  ...['test/http/killed-uploads.test.ts', 'examples/shop/killed-writes.test.ts'],
  'src/seed/**/highlighter.test.ts',
]

/** Starting a browser or the command line takes most of the time of the files that do so. `npm test` runs only these of them. */
const usualPrograms: readonly string[] = ['test/browser/administration.test.ts', 'test/cli/{serve,stopping}.test.ts']
const programs: readonly string[] = ['test/browser/*', 'test/cli/*']

/** Files that stop or measure something, or change the working directory: each has its own process. */
const alone: readonly string[] = [
  ...['test/{deployment,types}/*', 'test/{build,docs,getting-started,service-pages,site}.test.ts'],
  ...['test/client/shop.test.ts', 'test/openapi/{fuzz,generators}.test.ts', 'examples/shop/*'],
  ...['test/postgres/{pgbouncer,postgresql-page,replicas}.test.ts', 'src/seed/**/highlighter.test.ts'],
]

/** Files in one process, one after the other. */
export interface Group {
  readonly files: readonly string[]
  /** Whether the tests run in the process itself. Otherwise they start other processes, and wait for them. */
  readonly isShared: boolean
}

/**
 * The files of `npm test`, or of `npm run test:thorough`, in groups; the longest groups come first. `workers` is how many groups run at
 * a time: one of them is left to the groups that start other processes.
 */
export function listGroups(run: 'usual' | 'thorough', patterns: readonly string[], workers: number): readonly Group[] {
  const all = globSync('{src,scripts,test,examples,templates,bench}/**/*.test.ts').map(file =>
    file.replaceAll('\\', '/'),
  )
  const files = all.filter(file => isChosen(file, run, patterns)).toSorted()
  const { alone: apart = [], browser = [], commands = [], others = [] } = Object.groupBy(files, findKind)
  return [
    ...deal(others, workers - 1).map(group => ({ files: group, isShared: true })),
    { files: browser, isShared: true },
    ...deal(commands, 2).map(group => ({ files: group, isShared: false })),
    ...apart.map(file => ({ files: [file], isShared: false })),
  ].filter(group => group.files.length > 0)
}

function findKind(file: string): 'alone' | 'browser' | 'commands' | 'others' {
  if (matches(file, alone)) return 'alone'
  if (file.startsWith('test/browser/')) return 'browser'
  return file.startsWith('test/cli/') ? 'commands' : 'others'
}

const matches = (file: string, patterns: readonly string[]) => patterns.some(pattern => matchesGlob(file, pattern))

function isChosen(file: string, run: 'usual' | 'thorough', patterns: readonly string[]): boolean {
  if (patterns.length > 0) return matches(file, patterns)
  const isThorough = matches(file, thorough) || (matches(file, programs) && !matches(file, usualPrograms))
  return run === 'usual' ? !isThorough : isThorough || repeats(file)
}

/** Whether the thorough run repeats more of this file than the usual one: see test/support/repetitions.ts. */
const repeats = (file: string): boolean =>
  /support\/(?:repetitions|emptied-databases)\.ts|onEveryService|onEither(?:Database|Service)/.test(
    readFileSync(file, 'utf8'),
  )

/** Deals the files to groups in turn, so that each group has some of each folder. */
const deal = (files: readonly string[], count: number): readonly (readonly string[])[] =>
  Array.from({ length: count }, (_, group) => files.filter((_, index) => index % count === group))
