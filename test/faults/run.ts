// `npm run test:faults` does every fault to a real service, one after the other, and writes docs/reliability.md;
// `npm run test:faults -- kill-9 disk-full` does these alone, and where all have been done here before, puts what it saw in
// the place of what was seen then. Ends with 1 where a promise is broken.
//
// A fault is a file here that exports a `Fault` by default. Where five minutes are not enough for it, it also exports
// `deadline`, in seconds. It runs in a process of its own, with a temporary folder and, where the machine allows it,
// with mounts of its own: whatever becomes of it, nothing of it is left.

import { readdirSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { formatLine, formatTable, type Outcome, withEarlier, writeResults } from './support/report.ts'
import { runApart } from './support/run-apart.ts'

const folder = fileURLToPath(new URL('.', import.meta.url))

/** The names of the faults: those of their files, without the ending. */
export function faultNames(): readonly string[] {
  const isFault = (name: string) => name.endsWith('.ts') && !/^(?:fault|run)\.ts$|\.test\.ts$/.test(name)
  return readdirSync(folder)
    .filter(isFault)
    .map(name => name.slice(0, -'.ts'.length))
    .toSorted()
}

async function main(wanted: readonly string[]): Promise<number> {
  const known = faultNames()
  const unknown = wanted.find(name => !known.includes(name))
  if (unknown !== undefined) {
    console.error(`There is no fault "${unknown}"; there are ${known.join(', ')}.`)
    return 1
  }
  const outcomes: Outcome[] = []
  for (const name of wanted.length > 0 ? wanted : known) {
    const outcome = await runApart(name, `${folder}${name}.ts`)
    outcomes.push(outcome)
    console.log(formatLine(outcome))
  }
  console.log(`\n${formatTable(outcomes)}`)
  const all = wanted.length === 0 ? outcomes : withEarlier(outcomes, known)
  if (all !== undefined) writeResults(all)
  return outcomes.some(({ result }) => result === 'broken') ? 1 : 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2))
