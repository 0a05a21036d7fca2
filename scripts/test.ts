/**
 * `npm test` runs all tests. Most files share two processes, because starting a process and loading the sources for each
 * file takes longer than the tests. Files that start programs, measure or stop something run in a process each. All of
 * them run at the same time, because tests often wait: for each other's processes, for a time limit, for the database.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { buildProgram } from '../test/support/built-program.ts'

const isShared = (file: string): boolean => /^(?:src\/(?!profiles\/)|scripts\/|test\/http\/)/.test(file)

const files = globSync('{src,scripts,test,examples,templates,bench}/**/*.test.ts').map(file =>
  file.replaceAll('\\', '/'),
)

/** Processes that load the same sources share their compiled form. */
const env = {
  ...process.env,
  NODE_COMPILE_CACHE: join(import.meta.dirname, '../node_modules/.cache/tests'),
  TEST_PROGRAM: await buildProgram(),
}

const common = ['--test', '--test-global-setup=test/support/global-setup.ts']

const shard = (number: number, of: number): Promise<Result> =>
  run([
    ...common,
    '--test-isolation=none',
    '--test-force-exit',
    `--test-shard=${number}/${of}`,
    ...files.filter(isShared),
  ])

interface Result {
  readonly hasPassed: boolean
  readonly output: Buffer
}

function run(args: readonly string[]): Promise<Result> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  return new Promise((resolve, reject) => {
    const output: Buffer[] = []
    child.stdout.on('data', chunk => output.push(chunk))
    child.once('error', reject)
    child.once('close', code => resolve({ hasPassed: code === 0, output: Buffer.concat(output) }))
  })
}

const results = await Promise.all([
  shard(1, 2),
  shard(2, 2),
  run([...common, '--test-concurrency=3', ...files.filter(file => !isShared(file))]),
])
// The failures come last, where readers of a long log look first.
for (const { output } of results.toSorted((one, other) => Number(other.hasPassed) - Number(one.hasPassed)))
  process.stdout.write(output)
process.exitCode = results.every(({ hasPassed }) => hasPassed) ? 0 : 1
