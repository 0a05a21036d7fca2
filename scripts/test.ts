/**
 * `npm test`: all tests. Most of them share two processes, for to start one and to load the sources again for each file
 * costs more than the tests do; those that start programs, measure or end something have a process for each file.
 */
import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'

const isShared = (file: string): boolean => /^(?:src\/(?!profiles\/)|scripts\/|test\/http\/)/.test(file)

const files = globSync('{src,scripts,test,examples,bench}/**/*.test.ts').map(file => file.replaceAll('\\', '/'))

const common = ['--conditions=source', '--test', '--test-global-setup=test/support/global-setup.ts']

const shard = (number: number, of: number): Promise<boolean> =>
  run([
    ...common,
    '--test-isolation=none',
    '--test-force-exit',
    `--test-shard=${number}/${of}`,
    ...files.filter(isShared),
  ])

/** Prints what a run has said once it has ended: was it a success? */
function run(args: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    const said: Buffer[] = []
    child.stdout.on('data', chunk => said.push(chunk))
    child.once('error', reject)
    child.once('close', code => {
      process.stdout.write(Buffer.concat(said))
      resolve(code === 0)
    })
  })
}

const results = [
  ...(await Promise.all([shard(1, 2), shard(2, 2)])),
  await run([...common, '--test-concurrency=4', ...files.filter(file => !isShared(file))]),
]
process.exitCode = results.every(Boolean) ? 0 : 1
