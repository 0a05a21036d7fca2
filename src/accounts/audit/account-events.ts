// The audit events of accounts. Views declare them as their `auditEvent`.

export const accountEvents = [
  'login',
  'logout',
  'token made',
  'token revoked',
  'session ended',
  'account changed',
  'secret changed',
] as const
export type AccountEvent = (typeof accountEvents)[number]

/** Declares the audit event of an account view, for all methods or per method; the compiler checks the name. */
export const defineAccountEvent = <Event extends AccountEvent | Readonly<Record<string, AccountEvent>>>(
  event: Event,
): Event => event

/** The audit events of token views, by method. */
export const tokenAuditEvents = defineAccountEvent({ POST: 'token made', DELETE: 'token revoked' })
