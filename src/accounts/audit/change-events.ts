import type { AuditEventOption } from '#core'

const eventsByMethod: Readonly<Record<string, string>> = { POST: 'object created', DELETE: 'object deleted' }

/**
 * The event of a successful change; undefined if it is not recorded. A view may declare its event; null means none. For other
 * views, the method determines the event.
 */
export function findChangeEvent(method: string, declared: AuditEventOption | undefined): string | undefined {
  const event = typeof declared === 'object' && declared !== null ? declared[method] : declared
  if (event === null) return undefined
  return event ?? eventsByMethod[method] ?? 'object changed'
}
