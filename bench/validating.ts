// Measures what tags cost, and what a client saves that sends the tag of its copy.

import type { Data } from './data.ts'
import type { Section } from './report.ts'
import { type Pace, runRounds } from './rounds.ts'
import { withSides } from './side.ts'
import { rowsPerPage } from './validated.ts'
import type { Comparison, Group, Workload } from './workloads.ts'

const text = `The same rows twice: with an \`ETag\`, and without one, because the second resource has \`noStore\`. An object has 150
characters, and a page of a list 11,000. A request with the current tag in \`If-None-Match\` gets 304. The different pages are
more than the cache of lists holds: a 304 of one of them reads nothing, because its tag is still cached. A page that is
requested repeatedly is cached with its tag, so its 304 saves only the bytes, and an object is one row to read. Both are
shown without a goal.`

const names = ['service'] as const

type Twin = 'tagged' | 'untagged'

const createWorkload = (paths: Workload['paths']): Workload => ({ status: 200, isAnonymous: true, paths })

const row = (twin: Twin): Workload =>
  createWorkload(({ sizes }) => shuffle(sizes.users).map(id => `/validated/${twin}/${id}/`))
const page = (twin: Twin): Workload => createWorkload(() => [`/validated/${twin}/?page=3`])
const pages = (twin: Twin): Workload =>
  createWorkload(({ sizes }) => shuffle(sizes.users / rowsPerPage).map(number => `/validated/${twin}/?page=${number}`))

/** An `ETag` costs at most 5 % of a response. */
const atMostCost = 0.95
const atLeastSaved = 1.5

const groups: readonly Group[] = [
  createGroup('objects', row),
  createGroup('a page of a list', page),
  createGroup('many pages of a list', pages, atLeastSaved),
  {
    series: {
      tagged: onService({ ...page('tagged'), isPage: true }),
      untagged: onService({ ...page('untagged'), isPage: true }),
    },
    compare: [compareTags('HTML page of a list')],
  },
]

function createGroup(work: string, workload: (twin: Twin) => Workload, goal?: number): Group {
  const tagged = workload('tagged')
  return {
    series: {
      tagged: onService(tagged),
      untagged: onService(workload('untagged')),
      'not modified': onService({ ...tagged, status: 304, isConditional: true }),
    },
    compare: [
      compareTags(work),
      {
        work: `304 of ${work}`,
        against: '200',
        one: 'not modified',
        other: 'tagged',
        ...(goal !== undefined && { goal }),
      },
    ],
  }
}

function compareTags(work: string): Comparison {
  return { work, against: 'without tag', one: 'tagged', other: 'untagged', goal: atMostCost }
}

function onService(work: Workload): Group['series'][string] {
  return { side: 'service', work }
}

export async function measureValidating(data: Data, pace: Pace): Promise<Section> {
  const rows = await withSides(
    names,
    () => data.path,
    first =>
      withSides(
        names,
        () => data.path,
        second => runRounds(groups, [first, second], data, pace),
      ),
  )
  return { title: 'Conditional requests', text, rows }
}

// Every number up to this one, in an order without locality.
function shuffle(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => ((index * 7919) % count) + 1)
}
