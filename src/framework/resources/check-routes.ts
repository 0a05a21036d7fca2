// Checks that no URL has two routes. A fixed part of a path has priority over a parameter, so `/orders/late/` and
// `/orders/:key/` may stand side by side; two paths of which neither is more specific may not.

import type { Route } from './routes.ts'

/** Throws for the first two routes that match one URL. */
export function checkRoutes(routes: readonly Route[]): void {
  const byLength = Map.groupBy(
    routes.map(({ path, view }) => ({ path, name: view.id ?? view.name, segments: path.split('/') })),
    ({ segments }) => segments.length,
  )
  for (const sameLength of byLength.values())
    for (const [index, route] of sameLength.entries()) {
      const other = sameLength.slice(0, index).find(candidate => isAmbiguous(candidate.segments, route.segments))
      if (other !== undefined)
        throw new Error(
          `createApi(): the views "${other.name}" (${other.path}) and "${route.name}" (${route.path}) match the same URLs: rename a part of one of these paths`,
        )
    }
}

const isParameter = (segment: string): boolean => segment.includes(':')

// Both match some URL, and neither path is the more specific one.
function isAmbiguous(segments: readonly string[], others: readonly string[]): boolean {
  let isMoreSpecific = false
  let isLessSpecific = false
  for (const [index, segment] of segments.entries()) {
    const other = others[index]!
    if (isParameter(segment) === isParameter(other)) {
      if (!isParameter(segment) && segment !== other) return false
    } else if (isParameter(other)) isMoreSpecific = true
    else isLessSpecific = true
  }
  return isMoreSpecific === isLessSpecific
}
