// What is measured: requests, and how much of the hand-written speed ours must reach.

import { type Data, snippetCount, userCount } from './data.ts'
import type { SideName } from './side.ts'

export interface Work {
  readonly name: string
  /** The least ratio of this to what it is measured against, in requests per second; undefined where it is only shown. */
  readonly goal?: number
  readonly status: number
  /** Sent in turn. */
  readonly paths: (data: Data) => readonly string[]
  readonly isAnonymous?: boolean
  /** Who answers; default `ours`. */
  readonly side?: SideName
  /** What it is measured against; default: the same, by hand. */
  readonly against?: Pick<Work, 'paths'> & { readonly name: string }
}

const cursorPath = (cursor: string): string => `/snippet/snippets/?cursor=${cursor}`
const snippetDetails = each(snippetCount, id => `/snippet/snippets/${id}/`)

export const works: readonly Work[] = [
  { name: 'list', goal: 0.9, status: 200, paths: () => ['/directory/users/?page=3'] },
  { name: 'list, its pages', status: 200, paths: () => each(userCount / 10, page => `/directory/users/?page=${page}`) },
  { name: 'detail', goal: 0.8, status: 200, paths: () => each(userCount, id => `/directory/users/${id}/`) },
  { name: 'snippet, anonymous', status: 200, paths: () => snippetDetails, isAnonymous: true },
  { name: 'snippets, anonymous', status: 200, paths: () => ['/snippet/snippets/?page=3'], isAnonymous: true },
  {
    name: 'snippets, 1000 pages',
    status: 200,
    paths: () => each(1000, page => `/snippet/snippets/?page=${page}`),
    isAnonymous: true,
  },
  {
    name: 'snippets, anonymous',
    goal: 0.5,
    status: 200,
    paths: () => ['/snippet/snippets/?page=3'],
    isAnonymous: true,
    against: { name: 'a snippet', paths: () => snippetDetails },
  },
  {
    name: 'deep cursor pages',
    goal: 0.95,
    status: 200,
    paths: ({ deepCursors }) => deepCursors.map(cursorPath),
    isAnonymous: true,
    side: 'ours, by cursor',
    against: { name: 'early page', paths: ({ earlyCursors }) => earlyCursors.map(cursorPath) },
  },
  {
    name: 'deep cursor pages',
    status: 200,
    paths: ({ deepCursors }) => deepCursors.map(cursorPath),
    isAnonymous: true,
    side: 'ours, by cursor',
    against: { name: 'first page', paths: () => ['/snippet/snippets/'] },
  },
  { name: 'list refused (401)', status: 401, paths: () => ['/directory/users/'], isAnonymous: true },
]

/** The header fields of a work's requests. One host for both sides, so that the URLs in the bodies are the same. */
export function headersOf(
  { isAnonymous = false }: Pick<Work, 'isAnonymous'>,
  { token }: Data,
): Readonly<Record<string, string>> {
  return { host: 'localhost', ...(!isAnonymous && { authorization: `Token ${token}` }) }
}

// A thousand of the keys, in no order that an index or a cache would like.
function each(count: number, path: (id: number) => string): readonly string[] {
  return Array.from({ length: 1000 }, (_, index) => path(((index * 7919) % count) + 1))
}
