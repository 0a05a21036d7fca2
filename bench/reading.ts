// What is read, by many connections that each wait for their answer: requests per second.

import { checkEqual } from './check-equal.ts'
import type { Data } from './data.ts'
import type { Section } from './report.ts'
import { type Pace, runRounds } from './rounds.ts'
import { type SideName, type Sides, sideNames, withSides } from './side.ts'
import { type Group, readingGroups } from './works.ts'

const text = `Sixteen connections, each of which sends its next request once the last one is answered. The works of a group are
measured directly after one another, in rounds; the ratio is that of each round, as median, least and most. Each side is two
processes, which take the rounds by turns: no two are compiled alike by the engine. The last two columns are the processor
time of the server for one request.

A goal for a list is for one page that is asked for again and again, as first pages are: while nothing changes, the service
keeps what it has read (decision 017). What a thousand different pages take, which are more than it keeps, stands beside
it. Cursor pages are compared with what is kept as much as they are: a thousand deep ones with the first thousand, and one
deep page with the second one, each again and again. The first page, whose URL has no cursor, stands beside it: to read a
hundred characters more takes the server about as much as that differs.`

export async function measureReading(data: Data, pace: Pace): Promise<Section> {
  const withSet = <Result>(work: (set: Sides<SideName>) => Promise<Result>) =>
    withSides(sideNames, () => data.path, work)
  const rows = await withSet(first =>
    withSet(async second => {
      for (const group of readingGroups) await checkGroup(group, first, data)
      return runRounds(readingGroups, [first, second], data, pace)
    }),
  )
  return { title: 'Reading', text, rows }
}

/** Throws where the opponents of a group do not answer what ours does. */
export async function checkGroup(
  { series }: Group,
  sides: Pick<Sides<'ours' | 'by hand' | 'bare'>, 'ours' | 'by hand' | 'bare'>,
  data: Data,
): Promise<void> {
  if (!('by hand' in series)) return
  const ports = [sides.ours, sides['by hand'], sides.bare].map(({ port }) => port)
  await checkEqual(series.ours!.work, data, ports)
}
