// What is measured: requests, and how much of the hand-written speed ours must reach.

import { type Data, snippetCount, userCount } from './data.ts'

export interface Work {
  readonly name: string
  /** The least ratio of ours to by hand, in requests per second; undefined where it is only shown. */
  readonly goal?: number
  readonly status: number
  /** Sent in turn. */
  readonly paths: readonly string[]
  readonly isAnonymous?: boolean
}

export const works: readonly Work[] = [
  { name: 'list', goal: 0.9, status: 200, paths: ['/directory/users/?page=3'] },
  { name: 'detail', goal: 0.8, status: 200, paths: each(userCount, id => `/directory/users/${id}/`) },
  {
    name: 'snippet, anonymous',
    status: 200,
    paths: each(snippetCount, id => `/snippet/snippets/${id}/`),
    isAnonymous: true,
  },
  { name: 'list refused (401)', status: 401, paths: ['/directory/users/'], isAnonymous: true },
]

/** The header fields of a work's requests. One host for both sides, so that the URLs in the bodies are the same. */
export function headersOf({ isAnonymous = false }: Work, { token }: Data): Readonly<Record<string, string>> {
  return { host: 'localhost', ...(!isAnonymous && { authorization: `Token ${token}` }) }
}

// A thousand of the keys, in no order that an index or a cache would like.
function each(count: number, path: (id: number) => string): readonly string[] {
  return Array.from({ length: 1000 }, (_, index) => path(((index * 7919) % count) + 1))
}
