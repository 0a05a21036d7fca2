/** Runs test files in one process, and tells what became of each file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FinishedTest } from './test-process.ts'
import { collectResults, type TestResult } from './test-results.ts'

/** The result of a test file. */
export interface FileRun {
  readonly file: string
  /** The number of tests. */
  readonly tests: number
  readonly results: readonly TestResult[]
  /** Why tests failed: one text for each. */
  readonly failures: readonly string[]
  /** The file failed outside its tests, or the process ended before it came to the file. */
  readonly isBroken: boolean
  readonly seconds: number
}

export interface RunOptions {
  /** Further options of Node. */
  readonly flags?: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
  readonly onStart?: (child: ChildProcess) => void
  /** Called as soon as a file has ended. */
  readonly onFile?: (run: FileRun) => void
}

export interface ProcessRun {
  readonly files: readonly FileRun[]
  readonly hasPassed: boolean
}

const program = fileURLToPath(new URL('test-process.ts', import.meta.url))

/** Runs the files one after the other. Resolves even if tests fail. */
export async function runFiles(files: readonly string[], options: RunOptions = {}): Promise<ProcessRun> {
  const { flags = [], environment = process.env, onStart, onFile } = options
  const args = [...flags, program, ...files]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], env: environment })
  onStart?.(child)
  const runs: FileRun[] = []
  const finish = (run: FileRun) => {
    runs.push(run)
    onFile?.(run)
  }
  const collector = createCollector(files, finish)
  child.on('message', collector.add)
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  collector.end()
  const missing = files.filter(file => !runs.some(run => run.file === file))
  for (const file of missing)
    finish({
      file,
      tests: 0,
      results: [],
      failures: [`${file} ended before its tests did.`],
      isBroken: true,
      seconds: 0,
    })
  return { files: runs, hasPassed: code === 0 && missing.length === 0 }
}

/** Puts the tests of each file together: a file has ended once a test of another file ends. */
function createCollector(files: readonly string[], onFile: (run: FileRun) => void) {
  let [file, tests, start]: [string | undefined, FinishedTest[], number] = [undefined, [], performance.now()]
  const end = () => {
    if (file !== undefined) onFile(describeFile(file, tests, (performance.now() - start) / 1000))
    ;[file, tests, start] = [undefined, [], performance.now()]
  }
  const add = (test: FinishedTest) => {
    const own = relative('', test.file ?? '').replaceAll('\\', '/')
    // A test of a support file belongs to the file whose tests are running.
    if (own !== file && files.includes(own)) {
      end()
      file = own
    }
    tests.push(test)
  }
  return { add, end }
}

function describeFile(file: string, tests: readonly FinishedTest[], seconds: number): FileRun {
  const failed = tests.filter(({ outcome, error }) => outcome === 'failed' && error !== undefined)
  return {
    file,
    tests: tests.filter(({ isSuite }) => !isSuite).length,
    results: collectResults(file, tests),
    failures: failed.map(test => `${formatPlace(test)} ${formatName(test, tests)}\n${test.error}`),
    // The runner reports an error outside the tests as a test with the name of the file.
    isBroken: failed.some(({ name, file: own }) => resolve(name) === own),
    seconds,
  }
}

const formatPlace = ({ file, line }: FinishedTest): string => `${relative('', file ?? '')}:${line}:`

function formatName({ name, parentId }: FinishedTest, tests: readonly FinishedTest[]): string {
  const parent = tests.find(({ id }) => id !== undefined && id === parentId)
  return parent === undefined ? name : `${formatName(parent, tests)} › ${name}`
}
