// Signs the URLs of files for a limited time, so that whoever has such a URL may read the file without credentials.

import { createHmac, timingSafeEqual } from 'node:crypto'
import { listSecrets, type Secret } from '../../base/secret.ts'

export interface FileSigner {
  /** Adds the signature to the URL of a file. `lifetime`: seconds for which the URL is valid at least, and twice that at most. */
  sign(url: string, key: string, lifetime: number): string
  /** Seconds for which the signature is still valid; undefined if it is wrong, or of another file. */
  findRemaining(query: URLSearchParams, key: string): number | undefined
}

/** Whether a URL has been signed. */
export const isSigned = (query: URLSearchParams): boolean => query.has('expires') || query.has('signature')

export function createFileSigner(secret: Secret, clock: () => Date): FileSigner {
  const [current, ...fallbacks] = listSecrets(secret) as [string, ...string[]]
  const createSignature = (key: string, expires: number, signingSecret = current) =>
    createHmac('sha256', signingSecret).update(`file\n${key}\n${expires}`).digest('base64url')
  const isCorrect = (key: string, expires: number, signature: string) =>
    [current, ...fallbacks].some(each => isSame(signature, createSignature(key, expires, each)))
  const now = () => clock().getTime() / 1000
  return {
    sign(url, key, lifetime) {
      // The end is rounded, so that a representation and its ETag stay the same for a while.
      const expires = Math.ceil(now() / lifetime + 1) * lifetime
      return `${url}?${new URLSearchParams({ expires: String(expires), signature: createSignature(key, expires) })}`
    },
    findRemaining(query, key) {
      const [expires, signature] = [Number(query.get('expires')), query.get('signature') ?? '']
      const remaining = Math.floor(expires - now())
      return isCorrect(key, expires, signature) && remaining > 0 ? remaining : undefined
    },
  }
}

function isSame(left: string, right: string): boolean {
  const [sent, expected] = [Buffer.from(left), Buffer.from(right)]
  return sent.length === expected.length && timingSafeEqual(sent, expected)
}
