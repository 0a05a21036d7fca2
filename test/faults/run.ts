// `npm run test:faults` runs every fault against a real service, one by one, and writes docs/reliability.md. `npm run
// test:faults -- kill-9 disk-full` runs only these, and replaces their findings on the page if all faults have been run
// on this machine on the same day and the same commit. With `--short`, each fault runs for one short round, two at a
// time, and no page is written. The exit code is 1 if a promise is broken.
//
// A fault is a file in this folder whose default export is a `Fault`. Each fault runs in a separate process with a
// temporary folder and, if the machine allows it, a separate mount namespace, so that nothing of it remains afterwards.

import { readdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { findVersion, formatVersion } from '../../scripts/version.ts'
import {
  formatLine,
  formatTable,
  mergeEarlierOutcomes,
  type Outcome,
  type Output,
  output,
  writeResults,
} from './support/report.ts'
import { runInProcess } from './support/run-apart.ts'

const ownFolder = new URL('.', import.meta.url)

/** Lists the names of the faults of a folder: the file names without `.ts`. */
export function listFaultNames(folder = ownFolder): readonly string[] {
  const isFault = (name: string) => name.endsWith('.ts') && !/^(?:fault|run)\.ts$|\.test\.ts$/.test(name)
  return readdirSync(folder)
    .filter(isFault)
    .map(name => name.slice(0, -'.ts'.length))
    .toSorted()
}

/** Runs the command with these arguments, and returns its exit code. */
export async function runFaults(args: readonly string[], folder = ownFolder, files: Output = output): Promise<number> {
  const allNames = listFaultNames(folder)
  const isShort = args.includes('--short')
  const selected = args.filter(argument => argument !== '--short')
  const unknown = selected.find(name => !allNames.includes(name))
  if (unknown !== undefined) {
    const kind = unknown.startsWith('-') ? 'option' : 'fault'
    console.error(`Unknown ${kind} "${unknown}". The only option is --short; the faults are ${allNames.join(', ')}.`)
    return 1
  }
  const version = formatVersion(findVersion())
  const outcomes = await runEach(selected.length > 0 ? selected : allNames, folder, isShort)
  console.log(`\n${formatTable(outcomes)}`)
  if (!isShort) {
    const all = selected.length === 0 ? outcomes : mergeEarlierOutcomes(outcomes, allNames, version, files)
    if (all !== undefined) writeResults(all, version, files)
  }
  return outcomes.some(({ result }) => result === 'broken') ? 1 : 0
}

/** Runs the faults one by one, or two at a time for a short round, in which they mostly wait. Returns their outcomes in this order. */
async function runEach(names: readonly string[], folder: URL, isShort: boolean): Promise<readonly Outcome[]> {
  const outcomes = new Map<string, Outcome>()
  const waiting = names.values()
  const work = async () => {
    for (const name of waiting) {
      const outcome = await runInProcess(name, fileURLToPath(new URL(`${name}.ts`, folder)), isShort)
      outcomes.set(name, outcome)
      console.log(formatLine(outcome))
    }
  }
  await Promise.all(Array.from({ length: isShort ? 2 : 1 }, work))
  return names.map(name => outcomes.get(name)!)
}

const isProgram = import.meta.url === pathToFileURL(process.argv[1] ?? '').href
if (isProgram) process.exitCode = await runFaults(process.argv.slice(2))
