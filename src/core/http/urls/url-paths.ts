// The paths of a view's URLs, and the view of a path, for each value of `trailingSlash`.

import type { PathMatch } from './routing.ts'
import { addSlash, removeSlash, type TrailingSlash } from './trailing-slash.ts'

interface UrlOptions {
  readonly trailingSlash: TrailingSlash
  /** The prefix that the API is mounted at; it may end with a slash. */
  readonly prefix: string
}

interface UrlPaths {
  /** The paths at which the view responds, for the router. */
  readonly served: readonly string[]
  /** The path that needs a route which redirects; undefined if the catch-all route redirects. */
  readonly redirected?: string
}

/**
 * Lists the paths of a pattern below the prefix. The router takes `/orders/` for `/orders/:key` with an empty key, so a path with
 * a slash needs a route if its URL has none.
 */
export function listUrlPaths(pattern: string, { trailingSlash, prefix }: UrlOptions): UrlPaths {
  const isRoot = pattern === '/'
  if (isRoot && (prefix === '' || prefix.endsWith('/'))) return { served: [pattern] }
  const bare = removeSlash(pattern)
  if (trailingSlash === 'both') return { served: [bare, pattern] }
  if (trailingSlash) return { served: [pattern], ...(isRoot && { redirected: bare }) }
  return { served: [bare], redirected: pattern }
}

/** The target at a path, or the target to which the URL is redirected because it has the wrong end. */
interface ResolvedUrl<Target> {
  readonly served?: PathMatch<Target> | undefined
  readonly redirected?: PathMatch<Target> | undefined
}

/** Creates a function that finds what is at a path below the prefix. `find`: finds the target of a path that ends with a slash. */
export const createUrlResolver =
  <Target>(find: (path: string) => PathMatch<Target> | undefined, trailingSlash: TrailingSlash) =>
  (path: string): ResolvedUrl<Target> => {
    const match = find(addSlash(path))
    const hasRightEnd = trailingSlash === 'both' || path === '/' || path.endsWith('/') === trailingSlash
    return hasRightEnd ? { served: match } : { redirected: match }
  }
