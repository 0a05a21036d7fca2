// The metrics of the service that its server does not know: audit events and highlighting.

import type { AuditListener } from 'resource-api/accounts'
import type { MetricsRegistry } from 'resource-api/server'
import type { Highlighter } from 'resource-api/snippets'

/** Returns a listener of the audit that counts its events. */
export function countAuditEvents(registry: MetricsRegistry): AuditListener {
  const events = registry.counter({
    name: 'audit_events_total',
    help: 'Audit events, such as failed logins',
    labels: ['event', 'outcome'],
  })
  return ({ event, outcome }) => events.add({ event, outcome })
}

/** Adds the metrics of the highlighting threads. */
export function addHighlighting(registry: MetricsRegistry, highlighter: Highlighter): void {
  registry.gauge({
    name: 'highlighting_waiting',
    help: 'Snippets that wait for a highlighting thread',
    collect: () => highlighter.stats().waiting,
  })
  registry.counter({
    name: 'highlighted_snippets_total',
    help: 'Snippets by outcome: highlighted, plain (too long), late (deadline exceeded) or failed; the last three are shown as plain text',
    labels: ['outcome'],
    collect() {
      const { highlighted, plain, late, failed } = highlighter.stats()
      return Object.entries({ highlighted, plain, late, failed }).map(([outcome, value]) => ({
        labels: { outcome },
        value,
      }))
    },
  })
}
