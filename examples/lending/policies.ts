import { APIException } from 'resource-api'
import type { Renderer, Throttle } from 'resource-api/extend'

export class AlreadyLent extends APIException {
  static override status = 409
  static override message = 'Somebody else has this book.'
  static override code = 'already_lent'
}

/** Renders rows as lines of quoted values. */
export const csv: Renderer = {
  mediaType: 'text/csv',
  format: 'csv',
  contentType: 'text/csv; charset=utf-8',
  canRender: Array.isArray,
  render: rows => (rows as object[]).map(row => `${Object.values(row).map(quote).join(',')}\r\n`).join(''),
}
const quote = (value: unknown) => `"${String(value).replaceAll('"', '""')}"`

/** Allows each caller this many requests per day. */
export function daily(most: number, today: () => string): Throttle {
  const counts = new Map<string, number>()
  let day = ''
  return {
    check({ user }) {
      if (day !== today()) counts.clear()
      day = today()
      const count = (counts.get(user.username) ?? 0) + 1
      counts.set(user.username, count)
      return { allowed: count <= most }
    },
  }
}
