// Measures reads, in requests per second, over connections that each wait for their response.

import { checkEqual } from './check-equal.ts'
import type { Data } from './data.ts'
import type { Section } from './report.ts'
import { type Pace, runRounds } from './rounds.ts'
import { type SideName, type Sides, sideNames, withSides } from './side.ts'
import { type Group, readingGroups } from './workloads.ts'

const text = `Sixteen connections each send their next request when the last response has arrived. The workloads of a group are measured
directly after one another, in rounds; the ratio is computed per round and shown as median, minimum and maximum. Each side
has two processes that take turns, because the engine compiles each process differently. The last two columns show the
processor time of the server per request.

The goals of lists refer to one page that is requested repeatedly, as first pages are: the service caches its rows until the
database changes (decision 017). Separate rows show a thousand different pages, which are more than the cache holds. Cursor
pages are compared with pages that are equally cached: a thousand deep pages with the first thousand, and one deep page with
the second page, each requested repeatedly. A comparison with the first page, whose URL has no cursor, is shown too: the
difference is about the cost of reading a hundred more characters of the URL. Rows whose keys are UUIDs or texts are compared
with rows whose keys are integers; the other columns are the same, and each object contains its key twice, in \`url\` and \`id\`.`

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

/** Throws if the opponents of a group respond differently from the service. */
export async function checkGroup(
  { series }: Group,
  sides: Pick<Sides<'service' | 'hand-written' | 'bare'>, 'service' | 'hand-written' | 'bare'>,
  data: Data,
): Promise<void> {
  if (!('hand-written' in series)) return
  const ports = [sides.service, sides['hand-written'], sides.bare].map(({ port }) => port)
  await checkEqual(series.service!.work, data, ports)
}
