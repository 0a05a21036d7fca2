/** The query of a request's URL, without its `?`; empty if it has none. */
export function parseSearch(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start + 1)
}
