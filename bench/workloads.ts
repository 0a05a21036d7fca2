// The workloads that read: their requests, their sides, and the comparisons. The workloads of a group are measured directly
// after one another, starting with a different one in each round.

import type { Data } from './data.ts'
import { type KeyedTable, keysOf } from './keyed.ts'
import type { SideName } from './side.ts'

export interface Workload {
  readonly status: number
  /** Sent in turn. */
  readonly paths: (data: Data) => readonly string[]
  readonly isAnonymous?: boolean
  /** Sends the `Accept` of a browser. */
  readonly isPage?: boolean
  /** Sends the current `ETag` in `If-None-Match`. */
  readonly isConditional?: boolean
}

export interface Group {
  /** By the names that `compare` uses. */
  readonly series: Readonly<Record<string, { readonly side: SideName; readonly work: Workload }>>
  readonly compare: readonly Comparison[]
}

export interface Comparison {
  /** The name of the workload in reports. */
  readonly work: string
  readonly against: string
  readonly one: string
  readonly other: string
  /** The minimum of the rate of `one` divided by that of `other`; undefined if the comparison is only shown. */
  readonly goal?: number
}

const cursorPath = (cursor: string): string => `/snippet/snippets/?cursor=${cursor}`

const users: Workload = { status: 200, paths: () => ['/directory/users/?page=3'] }
/** Lists of users over many pages. */
export const userPages: Workload = {
  status: 200,
  paths: ({ sizes }) => each(sizes.users / 10, page => `/directory/users/?page=${page}`),
}
const user: Workload = { status: 200, paths: ({ sizes }) => each(sizes.users, id => `/directory/users/${id}/`) }
const snippets: Workload = { status: 200, paths: () => ['/snippet/snippets/?page=3'], isAnonymous: true }
const snippetPages: Workload = {
  status: 200,
  paths: ({ sizes }) => each(sizes.snippets / 100, page => `/snippet/snippets/?page=${page}`),
  isAnonymous: true,
}
export const snippet: Workload = {
  status: 200,
  paths: ({ sizes }) => each(sizes.snippets, id => `/snippet/snippets/${id}/`),
  isAnonymous: true,
}
/** The value `watched` of each title depends on the caller. */
const titles: Workload = { status: 200, paths: () => ['/watching/titles/?page=3'] }
const titlePages: Workload = {
  status: 200,
  paths: ({ sizes }) => each(sizes.snippets / 100, page => `/watching/titles/?page=${page}`),
}
const keyedPages = (table: KeyedTable): Workload => ({
  status: 200,
  paths: ({ sizes }) => each(sizes.users / 10, page => `/keyed/${table}/?page=${page}`),
  isAnonymous: true,
})
const keyedRow = (table: KeyedTable): Workload => ({
  status: 200,
  paths: ({ sizes }) => each(sizes.users, nth => `/keyed/${table}/${keysOf[table](nth)}/`),
  isAnonymous: true,
})
export const refusal: Workload = { status: 401, paths: () => ['/directory/users/'], isAnonymous: true }

const cursorWork = (paths: Workload['paths']): Workload => ({ status: 200, paths, isAnonymous: true })
const firstPage = cursorWork(() => ['/snippet/snippets/'])
const secondPage = cursorWork(({ earlyCursors }) => earlyCursors.slice(0, 1).map(cursorPath))
const earlyPages = cursorWork(({ earlyCursors }) => earlyCursors.map(cursorPath))
const deepPage = cursorWork(({ deepCursors }) => deepCursors.slice(-1).map(cursorPath))
const deepPages = cursorWork(({ deepCursors }) => deepCursors.map(cursorPath))

/** All read-only workloads. */
export const readingGroups: readonly Group[] = [
  compareWithOpponents('list of 10 users with groups and count, token', users, 1.3),
  compareWithOpponents('lists of users, 1000 different pages', userPages),
  compareWithOpponents('a user, token', user),
  withDetail(compareWithOpponents('list of 10 snippets with count, anonymous', snippets, 1.3)),
  compareWithOpponents('lists of snippets, 1000 different pages', snippetPages),
  compareWithOpponents('a snippet, anonymous', snippet, 1),
  compareWithOpponents('list of 10 titles, watched by the caller or not, token', titles, 1),
  compareWithOpponents('lists of titles, 1000 different pages', titlePages),
  compareKeys('lists of 10 rows, 1000 different pages', keyedPages),
  compareKeys('a row', keyedRow),
  compareWithOpponents('401 without credentials', refusal, 0.95),
  compareWithin({
    work: 'deep cursor page, requested repeatedly',
    against: 'second page',
    side: 'service, by cursor',
    one: deepPage,
    other: secondPage,
    goal: 0.95,
  }),
  compareWithin({
    work: 'deep cursor page, requested repeatedly',
    against: 'first page',
    side: 'service, by cursor',
    one: deepPage,
    other: firstPage,
  }),
  compareWithin({
    work: 'deep cursor pages, 1000',
    against: 'first 1000 pages',
    side: 'service, by cursor',
    one: deepPages,
    other: earlyPages,
    goal: 0.95,
  }),
  compareWithin({ ...comparePageWithJson(users), work: 'HTML page of the list of users', goal: 0.3 }),
  compareWithin({ ...comparePageWithJson(userPages), work: 'HTML pages of the list of users, 1000' }),
  compareWithin({ ...comparePageWithJson(snippets), work: 'HTML page of the list of snippets' }),
]

function compareWithOpponents(work: string, what: Workload, goal?: number): Group {
  return {
    series: {
      service: { side: 'service', work: what },
      'hand-written': { side: 'hand-written', work: what },
      bare: { side: 'bare', work: what },
    },
    compare: [
      { work, against: 'hand-written', one: 'service', other: 'hand-written', ...(goal !== undefined && { goal }) },
      { work, against: 'bare', one: 'service', other: 'bare' },
    ],
  }
}

function compareKeys(what: string, work: (table: KeyedTable) => Workload): Group {
  const [integers, uuids, texts] = [work('integers'), work('uuids'), work('texts')]
  const goal = { against: 'integer keys', other: 'integers', goal: 0.95 }
  return {
    series: {
      integers: { side: 'service', work: integers },
      uuids: { side: 'service', work: uuids },
      texts: { side: 'service', work: texts },
    },
    compare: [
      { work: `${what}, UUID keys`, one: 'uuids', ...goal },
      { work: `${what}, text keys`, one: 'texts', ...goal },
    ],
  }
}

function withDetail({ series, compare }: Group): Group {
  const own = { work: 'list of 10 snippets with count, anonymous', against: 'a snippet', one: 'service' }
  return {
    series: { ...series, detail: { side: 'service', work: snippet } },
    compare: [...compare, { ...own, other: 'detail', goal: 0.5 }],
  }
}

interface OwnPair extends Pick<Comparison, 'work' | 'against' | 'goal'> {
  readonly side: SideName
  readonly one: Workload
  readonly other: Workload
}

function compareWithin({ side, one, other, ...comparison }: OwnPair): Group {
  return {
    series: { one: { side, work: one }, other: { side, work: other } },
    compare: [{ ...comparison, one: 'one', other: 'other' }],
  }
}

function comparePageWithJson(work: Workload): Omit<OwnPair, 'work' | 'goal'> {
  return { against: 'its JSON', side: 'service', one: { ...work, isPage: true }, other: work }
}

/** The works of one process. A goal is the least rate, as a multiple of that of the bare opponent. */
export const mixedWorks: readonly { readonly name: string; readonly work: Workload; readonly goal: number }[] = [
  { name: 'list of 10 users with groups and count, token', work: users, goal: 3 },
  { name: 'lists of users, 1000 different pages', work: userPages, goal: 3 },
  { name: 'a user, token', work: user, goal: 1.2 },
  { name: 'list of 10 of 100,000 snippets with count, anonymous', work: snippets, goal: 4 },
  { name: 'a snippet, anonymous', work: snippet, goal: 1.2 },
  { name: 'list of 10 titles, watched by the caller or not, token', work: titles, goal: 2 },
  { name: '401 without credentials', work: refusal, goal: 0.9 },
]

/** The header fields of a workload's requests. All sides get the same host, so that the URLs in their bodies are the same. */
export function formatHeaders(
  { isAnonymous = false, isPage = false }: Pick<Workload, 'isAnonymous' | 'isPage'>,
  { token }: Pick<Data, 'token'>,
): Readonly<Record<string, string>> {
  return {
    host: 'localhost',
    ...(isPage && { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }),
    ...(!isAnonymous && { authorization: `Token ${token}` }),
  }
}

// A thousand of the keys, in an order without locality, so that indexes and caches do not profit.
function each(count: number, path: (id: number) => string): readonly string[] {
  return Array.from({ length: 1000 }, (_, index) => path(((index * 7919) % count) + 1))
}
