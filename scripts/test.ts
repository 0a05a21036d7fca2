/**
 * `npm test` runs all tests. Most files share processes, because starting a process and loading the sources for each file
 * takes longer than the tests; the files of the browser also share the browser. Files that start programs, measure or stop
 * something run in a process each. All processes run at the same time, because tests often wait: for each other's
 * processes, for a time limit, for the database.
 *
 * `npm run test:thorough` runs the same files with more repetitions, and tests that take long: test/support/repetitions.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { matchesGlob } from 'node:path'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'

/** Files that start programs, stop or measure something, or change the working directory. */
const alone: readonly string[] = [
  ...['test/{cli,deployment,types}/*', 'test/{build,docs,getting-started,service-pages}.test.ts'],
  ...['test/client/shop.test.ts', 'test/openapi/{fuzz,generators}.test.ts', 'examples/shop/*'],
  ...['test/postgres/{pgbouncer,postgresql-page,replicas}.test.ts', 'src/profiles/**/highlighter.test.ts'],
]

const isAlone = (file: string): boolean => alone.some(pattern => matchesGlob(file, pattern))
const isOfBrowser = (file: string): boolean => file.startsWith('test/browser/')
const isShared = (file: string): boolean => !isAlone(file) && !isOfBrowser(file)

const files = globSync('{src,scripts,test,examples,templates,bench}/**/*.test.ts').map(file =>
  file.replaceAll('\\', '/'),
)

/** Runs files in one process. A larger young generation saves a tenth of the processor time. */
const runTogether = (chosen: readonly string[], ...flags: readonly string[]): Promise<Result> =>
  run(['--max-semi-space-size=64', '--test', '--test-isolation=none', '--test-force-exit', ...flags, ...chosen])

interface Result {
  readonly hasPassed: boolean
  readonly output: Buffer
}

const children: ChildProcess[] = []

function run(args: readonly string[]): Promise<Result> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  return new Promise((resolve, reject) => {
    const output: Buffer[] = []
    child.stdout.on('data', chunk => output.push(chunk))
    child.once('error', reject)
    child.once('close', code => resolve({ hasPassed: code === 0, output: Buffer.concat(output) }))
  })
}

if (process.argv.includes('--thorough')) process.env.TEST_THOROUGH = '1'

/** Runs all files. If this process is told to stop, it ends the tests first, and then the server that they share. */
async function runAll(): Promise<readonly Result[]> {
  await globalSetup()
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => children.forEach(child => void child.kill()))
  try {
    return await Promise.all([
      runTogether(files.filter(isShared), '--test-shard=1/2'),
      runTogether(files.filter(isShared), '--test-shard=2/2'),
      runTogether(files.filter(isOfBrowser)),
      run(['--test', '--test-concurrency=2', ...files.filter(isAlone)]),
    ])
  } finally {
    await globalTeardown()
  }
}

const results = await runAll()
// The failures come last, where readers of a long log look first.
for (const { output } of results.toSorted((one, other) => Number(other.hasPassed) - Number(one.hasPassed)))
  process.stdout.write(output)
process.exitCode = results.every(({ hasPassed }) => hasPassed) ? 0 : 1
