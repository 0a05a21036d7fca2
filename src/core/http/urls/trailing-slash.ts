// How the URLs of an API end: with a slash (the default), without one, or both ways. Inside the framework, the pattern of a path
// always ends with a slash.

/** The option `trailingSlash` of an API. `both`: URLs with and without the slash respond, and links have none. */
export type TrailingSlash = boolean | 'both'

/** The end of the URLs in links. */
export type UrlEnd = '/' | ''

export const findUrlEnd = (trailingSlash: TrailingSlash): UrlEnd => (trailingSlash === true ? '/' : '')

/** Ends a path or URL, which ends with a slash, as the URLs of the API do. The root of a server stays `/`. */
export const endUrl = (url: string, end: UrlEnd): string => (end === '/' || url === '/' ? url : url.slice(0, -1))

/** Adds the slash with which a pattern ends. */
export const addSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)

/** Removes the slash with which a pattern ends. */
export const removeSlash = (pattern: string): string => pattern.slice(0, -1)
