// Measures what tags cost, and what a client saves that sends the tag of its copy.

import type { Data } from './data.ts'
import type { Section } from './report.ts'
import { type Pace, runRounds } from './rounds.ts'
import { withSides } from './side.ts'
import type { Comparison, Group, Workload } from './workloads.ts'

const text = `The same rows twice: with an \`ETag\`, and without one, because the second resource has \`noStore\`. An object has about 150
characters and a page of a list about 11,000. A request with the current tag in \`If-None-Match\` gets 304. The thousand
different pages are more than the cache of lists holds.`

const names = ['service'] as const

type Twin = 'tagged' | 'untagged'

const row = (twin: Twin): Workload => ({
  status: 200,
  paths: ({ sizes }) =>
    Array.from({ length: 1000 }, (_, nth) => `/validated/${twin}/${((nth * 7919) % sizes.users) + 1}/`),
})
const page = (twin: Twin): Workload => ({ status: 200, paths: () => [`/validated/${twin}/?page=3`] })
const pages = (twin: Twin): Workload => ({
  status: 200,
  paths: ({ sizes }) =>
    Array.from({ length: 1000 }, (_, nth) => `/validated/${twin}/?page=${((nth * 7919) % (sizes.users / 10)) + 1}`),
})

/** An `ETag` costs at most 5 % of a response. */
const atMostCost = 0.95
const atLeastSaved = 1.5

const groups: readonly Group[] = [
  createGroup('an object', row),
  createGroup('one page of a list', page),
  createGroup('1000 pages of a list', pages),
  {
    series: {
      tagged: onService({ ...page('tagged'), isPage: true }),
      untagged: onService({ ...page('untagged'), isPage: true }),
    },
    compare: [compareTags('HTML of one page of a list')],
  },
]

function createGroup(work: string, createWorkload: (twin: Twin) => Workload): Group {
  const tagged = createWorkload('tagged')
  return {
    series: {
      tagged: onService(tagged),
      untagged: onService(createWorkload('untagged')),
      'not modified': onService({ ...tagged, status: 304, isConditional: true }),
    },
    compare: [
      compareTags(work),
      { work: `304 of ${work}`, against: '200', one: 'not modified', other: 'tagged', goal: atLeastSaved },
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
