// The responses of both opponents: the same objects, header fields and refusals as those of the service.

import { hash, randomBytes } from 'node:crypto'
import { pageSize, type SnippetRow, type TitleRow, type UserRow } from './store.ts'

export interface UserView {
  readonly url: string
  readonly username: string
  readonly email: string
  readonly groups: readonly string[]
}

export interface SnippetView {
  readonly id: number
  readonly owner: string
  readonly title: string
  readonly code: string
  readonly linenos: boolean
  readonly language: string
  readonly style: string
}

export interface TitleView {
  readonly id: number
  readonly title: string
  readonly watched: boolean
}

export interface Page<Item> {
  readonly count: number
  readonly next: string | null
  readonly previous: string | null
  readonly results: readonly Item[]
}

export const showUser = (origin: string, [id, username, email, groups]: UserRow): UserView => ({
  url: `${origin}/directory/users/${id}/`,
  username,
  email,
  groups: groups === null ? [] : groups.split(',').map(group => `${origin}/directory/groups/${group}/`),
})

export const showSnippet = ([id, owner, title, code, linenos, language, style]: SnippetRow): SnippetView => ({
  id,
  owner,
  title,
  code,
  linenos: linenos === 1,
  language,
  style,
})

export const showTitle = ([id, title, watched]: TitleRow): TitleView => ({ id, title, watched: watched === 1 })

/** The page with this number; undefined if it does not exist. `path` is the list's URL. */
export function showPage<Item>(
  path: string,
  number: number | undefined,
  count: number,
  list: (offset: number) => readonly Item[],
): Page<Item> | undefined {
  const pages = Math.max(1, Math.ceil(count / pageSize))
  if (number === undefined || number > pages) return undefined
  const link = (page: number) => (page === 1 ? path : `${path}?page=${page}`)
  return {
    count,
    next: number < pages ? link(number + 1) : null,
    previous: number > 1 ? link(number - 1) : null,
    results: list((number - 1) * pageSize),
  }
}

/** Parses the page parameter. */
export function parsePage(text: unknown = '1'): number | undefined {
  return typeof text === 'string' && /^0*[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined
}

export const parseKey = (text: string): number | undefined => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined)

/** Parses the token in `Authorization`. */
export const parseToken = (header: string): string | undefined => /^token +([\x21-\x7e]+)$/i.exec(header)?.[1]

/** Header fields of every response. */
export const usualFields = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  vary: 'Accept, Authorization, Cookie',
  'content-type': 'application/json',
} as const

export const forList = { ...usualFields, allow: 'GET, POST, HEAD, OPTIONS' } as const
export const forObject = { ...usualFields, allow: 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS' } as const
export const forReadOnlyList = { ...usualFields, allow: 'GET, HEAD, OPTIONS' } as const
export type Fields = typeof forList | typeof forObject | typeof forReadOnlyList

/** Header fields that describe the version of a representation. */
export const createValidators = (body: string, isAuthenticated: boolean): Record<string, string> => ({
  etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"`,
  ...(isAuthenticated && { 'cache-control': 'private, no-cache' }),
})

export const challenge = 'Token'

export const details = {
  missing: 'Authentication credentials were not provided.',
  invalid: 'Invalid token.',
  inactive: 'User inactive or deleted.',
  noPage: 'Invalid page.',
  notFound: 'Not found.',
} as const

/** Generates unique request ids. */
export function createIds(): () => string {
  const start = `${randomBytes(9).toString('base64url')}-`
  let made = 0
  return () => start + (made++).toString(36)
}

/** The options of Node's server, as the service sets them. */
export const serverOptions = {
  requestTimeout: 30_000,
  keepAliveTimeout: 30_000,
  maxHeaderSize: 16 * 1024,
  optimizeEmptyRequests: true,
} as const

/** The largest body in bytes: enough for a snippet of a million characters. */
export const bodyLimit = 4 * 1024 * 1024 + 64 * 1024
