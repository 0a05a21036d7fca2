// Signatures as Standard Webhooks 1.0 describes them (https://www.standardwebhooks.com).

import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'

export const createSecret = (): string => prefix + randomBytes(32).toString('base64')

/** What is signed. The body is sent as it is here. */
export interface WebhookMessage {
  /** The same at each attempt. */
  readonly id: string
  readonly body: string
}

/** The header fields of a message: a signature with each secret. */
export function signMessage(
  { id, body }: WebhookMessage,
  secrets: readonly string[],
  now: Date,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(now.getTime() / 1000)
  const sign = (secret: string) =>
    createHmac('sha256', Buffer.from(secret.slice(prefix.length), 'base64'))
      .update(`${id}.${timestamp}.${body}`)
      .digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map(secret => `v1,${sign(secret)}`).join(' '),
  }
}
