// The metrics of the service that its server does not know: audit events, and the metrics of the profiles.

import type { AuditListener } from '#accounts'
import type { MetricsRegistry } from '#server'

import type { OpenProfile } from '../open-profiles.ts'
import { SettingsError } from '../settings/settings-error.ts'

/** Returns a listener of the audit that counts its events. */
export function countAuditEvents(registry: MetricsRegistry): AuditListener {
  const events = registry.counter({
    name: 'audit_events_total',
    help: 'Audit events, such as failed logins',
    labels: ['event', 'outcome'],
  })
  return ({ event, outcome }) => events.add({ event, outcome })
}

/** Adds the metrics of the profiles; throws SettingsError if one has an invalid name, or a name that is taken. */
export function addProfileMetrics(registry: MetricsRegistry, profiles: readonly OpenProfile[]): void {
  for (const { name, metrics } of profiles)
    try {
      metrics(registry)
    } catch (error) {
      throw new SettingsError(`profiles: the metrics of ${name}: ${(error as Error).message}`, { cause: error })
    }
}
