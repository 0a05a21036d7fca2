// `npm run bench` compares the service with hand-written handlers, compares two processes with one, and offers more load
// than the service can handle. Exits with 1 if a goal is missed. When all sections have been measured on the same day, it
// writes docs/benchmarks.md. `-- --quick` only checks that everything runs; `-- --only reading,writing` measures a part.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureBesideWrites } from './beside-writes.ts'
import { createData, type Data } from './data.ts'
import { measureDescribing } from './describing.ts'
import { measureMillion } from './million.ts'
import { measureMixing } from './mixing.ts'
import { measureOverload } from './overload.ts'
import { measureProcesses } from './processes.ts'
import { buildPrograms, removePrograms } from './program.ts'
import { measureQuerying } from './querying.ts'
import { measureReading } from './reading.ts'
import { formatSection, missesGoal, type Section } from './report.ts'
import { writePage, writeResults } from './results.ts'
import { measureStarting } from './starting.ts'
import { measureTransferring } from './transferring.ts'
import { measureValidating } from './validating.ts'
import { measureWriting } from './writing.ts'
import { measureWritingMany } from './writing-many.ts'

const { values: flags } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
})

// Many short rounds: other load on the machine comes in bursts, and a whole round should fall into one burst.
const paces = flags.quick
  ? {
      reading: { rounds: 2, milliseconds: 200, warmUp: 200 },
      mixing: { rounds: 1, milliseconds: 200, warmUp: 200 },
      besideWrites: { rounds: 1, milliseconds: 500, warmUp: 500 },
      validating: { rounds: 2, milliseconds: 200, warmUp: 200 },
      queries: { rounds: 2, milliseconds: 200, warmUp: 200 },
      creates: { rounds: 2, milliseconds: 500, warmUp: 1000 },
      many: { rounds: 2, milliseconds: 300, warmUp: 500 },
      million: { rounds: 2, rows: 10_000 },
      transfers: { rounds: 2, size: 1_000_000 },
      describing: { rounds: 2, milliseconds: 200, warmUp: 200, starts: 2 },
      starting: { rounds: 2, load: 500 },
      processes: { rounds: 2, milliseconds: 300, warmUp: 500 },
      overload: { rounds: 1, capacity: 500, overload: 1000 },
    }
  : {
      reading: { rounds: 40, milliseconds: 200, warmUp: 1000 },
      mixing: { rounds: 5, milliseconds: 1000, warmUp: 3000 },
      besideWrites: { rounds: 7, milliseconds: 2000, warmUp: 2000 },
      validating: { rounds: 40, milliseconds: 200, warmUp: 1000 },
      queries: { rounds: 20, milliseconds: 300, warmUp: 1000 },
      creates: { rounds: 10, milliseconds: 2000, warmUp: 4000 },
      many: { rounds: 20, milliseconds: 500, warmUp: 8000 },
      million: { rounds: 21, rows: 1_000_000 },
      transfers: { rounds: 15, size: 100_000_000 },
      describing: { rounds: 40, milliseconds: 200, warmUp: 1000, starts: 9 },
      starting: { rounds: 9, load: 2000 },
      processes: { rounds: 6, milliseconds: 2500, warmUp: 5000 },
      overload: { rounds: 3, capacity: 2000, overload: 5000 },
    }

const measures: Readonly<Record<string, (data: Data) => Promise<Section>>> = {
  reading: data => measureReading(data, paces.reading),
  mixing: data => measureMixing(data, paces.mixing),
  'beside-writes': data => measureBesideWrites(data, paces.besideWrites),
  validating: data => measureValidating(data, paces.validating),
  querying: data => measureQuerying(data, folder, paces.queries),
  writing: data => measureWriting(data, paces.creates),
  many: () => measureWritingMany(folder, paces.many),
  million: () => measureMillion(folder, paces.million),
  transferring: () => measureTransferring(folder, paces.transfers),
  describing: data => measureDescribing(data, paces.describing),
  starting: data => measureStarting(data, paces.starting),
  processes: ({ sizes }) => measureProcesses(sizes, paces.processes),
  overload: data => measureOverload(data, paces.overload),
}

const names = flags.only?.split(',') ?? Object.keys(measures)
const unknown = names.find(name => measures[name] === undefined)
if (unknown !== undefined) throw new Error(`--only: ${unknown} is unknown; use ${Object.keys(measures).join(', ')}`)
const folder = mkdtempSync(join(tmpdir(), 'resource-api-bench-'))
try {
  if (names.includes('starting') || names.includes('processes')) buildPrograms()
  const data = await createData(folder)
  const sections: Record<string, Section> = {}
  for (const name of names) {
    const section = await measures[name]!(data)
    sections[name] = section
    process.stdout.write(`${formatSection(section)}\n\n`)
  }
  if (!flags.quick) {
    const all = writeResults(sections)
    const ordered = Object.keys(measures).flatMap(name => all[name] ?? [])
    if (ordered.length === Object.keys(measures).length) writePage(ordered)
    if (Object.values(sections).some(({ rows }) => rows.some(missesGoal))) process.exitCode = 1
  }
} finally {
  removePrograms()
  rmSync(folder, { recursive: true })
}
