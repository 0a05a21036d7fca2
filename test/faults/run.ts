// `npm run test:faults` runs every fault against a real service, one by one, and writes docs/reliability.md. `npm run
// test:faults -- kill-9 disk-full` runs only these, and replaces their findings on the page if all faults have been run
// on this machine on the same day. The exit code is 1 if a promise is broken.
//
// A fault is a file in this folder whose default export is a `Fault`. A fault that needs more than five minutes also
// exports `deadline` in seconds. Each fault runs in a separate process with a temporary folder and, if the machine
// allows it, a separate mount namespace, so that nothing of it remains afterwards.

import { readdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { formatLine, formatTable, mergeEarlierOutcomes, type Outcome, writeResults } from './support/report.ts'
import { runInProcess } from './support/run-apart.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** Lists the names of the faults: the file names without `.ts`. */
export function listFaultNames(): readonly string[] {
  const isFault = (name: string) => name.endsWith('.ts') && !/^(?:fault|run)\.ts$|\.test\.ts$/.test(name)
  return readdirSync(folder)
    .filter(isFault)
    .map(name => name.slice(0, -'.ts'.length))
    .toSorted()
}

async function main(selected: readonly string[]): Promise<number> {
  const allNames = listFaultNames()
  const unknown = selected.find(name => !allNames.includes(name))
  if (unknown !== undefined) {
    console.error(`Unknown fault "${unknown}". The faults are ${allNames.join(', ')}.`)
    return 1
  }
  const outcomes: Outcome[] = []
  for (const name of selected.length > 0 ? selected : allNames) {
    const outcome = await runInProcess(name, `${folder}${name}.ts`)
    outcomes.push(outcome)
    console.log(formatLine(outcome))
  }
  console.log(`\n${formatTable(outcomes)}`)
  const all = selected.length === 0 ? outcomes : mergeEarlierOutcomes(outcomes, allNames)
  if (all !== undefined) writeResults(all)
  return outcomes.some(({ result }) => result === 'broken') ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2))
