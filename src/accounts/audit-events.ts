// The events that an audit log keeps of accounts. Views declare them as their `auditEvent`.

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

/** Declares the event of a view of accounts; the compiler refuses one that is not in the list. */
export const accountEvent = <Event extends AccountEvent | Readonly<Record<string, AccountEvent>>>(
  event: Event,
): Event => event

/** The events of the views of tokens. */
export const tokenEvents = accountEvent({ POST: 'token made', DELETE: 'token revoked' })
