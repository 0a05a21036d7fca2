// A login that has begun at a provider. The browser keeps it in an encrypted cookie until it returns, so a return in another browser, from
// another provider or after a long time fails.

import type { FastifyRequest } from 'fastify'
import { formatCookie, readCookie } from '#core'
import { createEncryption, createSeals, type Secrets } from '../encryption.ts'
import type { ProviderSecrets } from './provider-client.ts'

export interface ProviderFlow extends ProviderSecrets {
  readonly provider: string
  /** The path to go to after the login. */
  readonly next: string
  /** The account to which the person is linked; null for a login. */
  readonly link: number | null
}

export interface ProviderFlows {
  /** Returns the `Set-Cookie` value of a new login. */
  keep(flow: ProviderFlow, baseUrl: string): string
  /** The login that this browser began at this provider; undefined if there is none, or if it is over. */
  read(request: FastifyRequest, provider: string): ProviderFlow | undefined
  /** The `Set-Cookie` value that ends a login. */
  end(baseUrl: string): string
  /** A text for the link that begins the linking of this account, which works in this session only. */
  createLinkToken(userId: number, session: string): string
  /** The account of such a text; null for any other text. */
  readLinkToken(token: unknown, session: string): number | null
}

const cookie = 'providerlogin'
/** In seconds. */
const lifetime = 600

export function createProviderFlows(secrets: Secrets, clock: () => Date): ProviderFlows {
  const { encrypt, decrypt } = createEncryption(secrets)
  const seals = createSeals<ProviderFlow>(secrets, 1000 * lifetime, clock)
  const format = (value: string, maxAge: number, baseUrl: string) =>
    formatCookie({ name: cookie, value, maxAge, httpOnly: true }, baseUrl)
  return {
    keep: (flow, baseUrl) => format(seals.seal(flow, 'provider login'), lifetime, baseUrl),
    read(request, provider) {
      const flow = seals.open(readCookie(request, cookie) ?? '', 'provider login')
      return flow?.provider === provider ? flow : undefined
    },
    end: baseUrl => format('', 0, baseUrl),
    createLinkToken: (userId, session) => encrypt(String(userId), `provider link ${session}`),
    readLinkToken(token, session) {
      const text = typeof token === 'string' ? decrypt(token, `provider link ${session}`) : undefined
      return text === undefined ? null : Number(text)
    },
  }
}
