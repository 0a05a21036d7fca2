// What is read: requests, who answers them, and what is compared with what. The works of a group are measured directly
// after one another, in each round beginning with another one.

import type { Data } from './data.ts'
import type { SideName } from './side.ts'

export interface Work {
  readonly status: number
  /** Sent in turn. */
  readonly paths: (data: Data) => readonly string[]
  readonly isAnonymous?: boolean
  /** Asked for as a browser does. */
  readonly isPage?: boolean
}

export interface Group {
  /** By name, as `compare` says them. */
  readonly series: Readonly<Record<string, { readonly side: SideName; readonly work: Work }>>
  readonly compare: readonly Comparison[]
}

export interface Comparison {
  /** What is measured, for people. */
  readonly work: string
  readonly against: string
  readonly one: string
  readonly other: string
  /** The least ratio of the rates, one to the other; undefined where it is only shown. */
  readonly goal?: number
}

const cursorPath = (cursor: string): string => `/snippet/snippets/?cursor=${cursor}`

const users: Work = { status: 200, paths: () => ['/directory/users/?page=3'] }
/** Lists of users over many pages. */
export const userPages: Work = {
  status: 200,
  paths: ({ sizes }) => each(sizes.users / 10, page => `/directory/users/?page=${page}`),
}
const user: Work = { status: 200, paths: ({ sizes }) => each(sizes.users, id => `/directory/users/${id}/`) }
const snippets: Work = { status: 200, paths: () => ['/snippet/snippets/?page=3'], isAnonymous: true }
const snippetPages: Work = {
  status: 200,
  paths: ({ sizes }) => each(sizes.snippets / 100, page => `/snippet/snippets/?page=${page}`),
  isAnonymous: true,
}
export const snippet: Work = {
  status: 200,
  paths: ({ sizes }) => each(sizes.snippets, id => `/snippet/snippets/${id}/`),
  isAnonymous: true,
}
export const refusal: Work = { status: 401, paths: () => ['/directory/users/'], isAnonymous: true }

const cursorWork = (paths: Work['paths']): Work => ({ status: 200, paths, isAnonymous: true })
const firstPage = cursorWork(() => ['/snippet/snippets/'])
const secondPage = cursorWork(({ earlyCursors }) => earlyCursors.slice(0, 1).map(cursorPath))
const earlyPages = cursorWork(({ earlyCursors }) => earlyCursors.map(cursorPath))
const deepPage = cursorWork(({ deepCursors }) => deepCursors.slice(-1).map(cursorPath))
const deepPages = cursorWork(({ deepCursors }) => deepCursors.map(cursorPath))

/** Works that change nothing. */
export const readingGroups: readonly Group[] = [
  againstBoth('list of 10 users with groups and count, token', users, 1.3),
  againstBoth('lists of users, 1000 different pages', userPages),
  againstBoth('a user, token', user),
  withDetail(againstBoth('list of 10 snippets with count, anonymous', snippets, 1.3)),
  againstBoth('lists of snippets, 1000 different pages', snippetPages),
  againstBoth('a snippet, anonymous', snippet, 1),
  againstBoth('401 without credentials', refusal, 0.95),
  ofOurs({
    work: 'deep cursor page, again and again',
    against: 'second page',
    side: 'ours, by cursor',
    one: deepPage,
    other: secondPage,
    goal: 0.95,
  }),
  ofOurs({
    work: 'deep cursor page, again and again',
    against: 'first page',
    side: 'ours, by cursor',
    one: deepPage,
    other: firstPage,
  }),
  ofOurs({
    work: 'deep cursor pages, 1000',
    against: 'first 1000 pages',
    side: 'ours, by cursor',
    one: deepPages,
    other: earlyPages,
    goal: 0.95,
  }),
  ofOurs({ ...htmlOf(users), work: 'HTML page of the list of users', goal: 0.3 }),
  ofOurs({ ...htmlOf(userPages), work: 'HTML pages of the list of users, 1000' }),
  ofOurs({ ...htmlOf(snippets), work: 'HTML page of the list of snippets' }),
]

function againstBoth(work: string, what: Work, goal?: number): Group {
  return {
    series: {
      ours: { side: 'ours', work: what },
      'by hand': { side: 'by hand', work: what },
      bare: { side: 'bare', work: what },
    },
    compare: [
      { work, against: 'by hand', one: 'ours', other: 'by hand', ...(goal !== undefined && { goal }) },
      { work, against: 'bare', one: 'ours', other: 'bare' },
    ],
  }
}

function withDetail({ series, compare }: Group): Group {
  const own = { work: 'list of 10 snippets with count, anonymous', against: 'our own detail', one: 'ours' }
  return {
    series: { ...series, detail: { side: 'ours', work: snippet } },
    compare: [...compare, { ...own, other: 'detail', goal: 0.5 }],
  }
}

interface OwnPair extends Pick<Comparison, 'work' | 'against' | 'goal'> {
  readonly side: SideName
  readonly one: Work
  readonly other: Work
}

function ofOurs({ side, one, other, ...comparison }: OwnPair): Group {
  return {
    series: { one: { side, work: one }, other: { side, work: other } },
    compare: [{ ...comparison, one: 'one', other: 'other' }],
  }
}

function htmlOf(work: Work): Omit<OwnPair, 'work' | 'goal'> {
  return { against: 'its JSON', side: 'ours', one: { ...work, isPage: true }, other: work }
}

/** The header fields of a work's requests. One host for all sides, so that the URLs in the bodies are the same. */
export function headersOf(
  { isAnonymous = false, isPage = false }: Pick<Work, 'isAnonymous' | 'isPage'>,
  { token }: Pick<Data, 'token'>,
): Readonly<Record<string, string>> {
  return {
    host: 'localhost',
    ...(isPage && { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }),
    ...(!isAnonymous && { authorization: `Token ${token}` }),
  }
}

// A thousand of the keys, in no order that an index or a cache would like.
function each(count: number, path: (id: number) => string): readonly string[] {
  return Array.from({ length: 1000 }, (_, index) => path(((index * 7919) % count) + 1))
}
