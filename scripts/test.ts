/**
 * `npm test` runs what proves each promise once; `npm run test:thorough` runs what takes longer: scripts/test-files.ts.
 * With patterns, such as `npm test -- 'test/cli/*'`, only the files that match run.
 *
 * Most files share a process, because starting a process and loading the sources for each file takes longer than the
 * tests. More processes run at a time than there are processors: tests often wait, for a process or for the database.
 * Prints a line for each file as soon as it ends, and why tests failed at the end.
 */
import type { ChildProcess } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { globalSetup, globalTeardown } from '../test/support/global-setup.ts'
import { type Group, listGroups } from './test-files.ts'
import { resultsPath, storeRun } from './test-results.ts'
import { type FileRun, type ProcessRun, runFiles } from './test-run.ts'
import { findVersion } from './version.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { thorough: { type: 'boolean', default: false } },
})
if (values.thorough) process.env.TEST_THOROUGH = '1'

const children = new Set<ChildProcess>()
let isStopped = false

const workers = availableParallelism() + 2

/** A larger young generation saves a tenth of the processor time. */
const shared = () => ({
  flags: ['--max-semi-space-size=64', `--import=${new URL('../test/support/cheap-hashes.ts', import.meta.url).href}`],
  environment: { ...process.env, TEST_HASH_COST: 'any' },
})

async function runGroup({ files, isShared }: Group): Promise<ProcessRun> {
  let started: ChildProcess | undefined
  const onStart = (child: ChildProcess) => {
    started = child
    children.add(child)
  }
  const run = await runFiles(files, { ...(isShared && shared()), onStart, onFile: printFile })
  children.delete(started!)
  return run
}

function printFile({ file, tests, failures, seconds }: FileRun): void {
  const outcome = failures.length === 0 ? `✓ ${file}:` : `✗ ${file}: ${failures.length} failures,`
  console.log(`${outcome} ${tests} tests, ${seconds.toFixed(1)} s`)
  for (const failure of failures) console.log(`  ${failure.split('\n', 2).join(' – ')}`)
}

/** Runs the groups, a few at a time. If this process is told to stop, it ends the tests, and then their server. */
async function runGroups(groups: readonly Group[]): Promise<readonly ProcessRun[]> {
  await globalSetup()
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      isStopped = true
      for (const child of children) child.kill()
    })
  const runs: ProcessRun[] = []
  const waiting = groups.values()
  const work = async () => {
    for (const group of waiting) if (!isStopped) runs.push(await runGroup(group))
  }
  try {
    await Promise.all(Array.from({ length: workers }, work))
    return runs
  } finally {
    await globalTeardown()
  }
}

const start = performance.now()
const version = findVersion()
const runs = await runGroups(listGroups(values.thorough ? 'thorough' : 'usual', positionals, workers))
const files = runs.flatMap(run => run.files)
const results = files.flatMap(file => file.results)
const brokenFiles = files.filter(({ isBroken }) => isBroken).map(({ file }) => file)
const isComplete = !values.thorough && positionals.length === 0 && !isStopped
if (isComplete && version !== undefined) storeRun(resultsPath, { ...version, results, brokenFiles })

const hasPassed = runs.every(run => run.hasPassed) && !isStopped
// They come last, where readers of a long log look first.
for (const failure of files.flatMap(file => file.failures)) console.log(`\n✗ ${failure}`)
const minutes = ((performance.now() - start) / 60_000).toFixed(1)
const count = files.reduce((sum, file) => sum + file.tests, 0)
console.log(`\n${count} tests of ${files.length} files ${hasPassed ? 'passed' : 'failed'} in ${minutes} minutes.`)
process.exitCode = hasPassed ? 0 : 1
