// `REMOTE_USER` as a header field, accepted from listed proxies only. The proxy is recognized by the address of the
// connection, never by `X-Forwarded-For`.

import { isUtf8 } from 'node:buffer'
import { AuthenticationFailed } from '../../errors/exceptions.ts'
import { listHeaderLines } from '../../http/header-lines.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { createAddressMatcher } from './address-matcher.ts'
import type { Identify } from './remote-user.ts'

export interface RemoteUserHeaderOptions {
  /** The header field's name. `_` and `-` are distinct. */
  readonly header: string
  /** The addresses and networks, such as `10.0.0.0/8`, of the proxies that may set the header. */
  readonly proxies: readonly string[]
}

/** Creates a function that reads the username from a header field. Throws if `proxies` contains an invalid address. */
export function remoteUserHeader({ header, proxies }: RemoteUserHeaderOptions): Identify {
  const name = header.toLowerCase()
  const isListed = createAddressMatcher(proxies)
  return ({ raw }) => {
    if (!isListed(raw.socket.remoteAddress)) return undefined
    const [value, ...duplicates] = listHeaderLines(raw, name)
    // A second value may come from the client, through the proxy.
    if (duplicates.length > 0) throw new AuthenticationFailed(frameworkMessages('authentication_failed.remote_user'))
    return value === undefined ? undefined : readUtf8(Buffer.from(value, 'latin1'))
  }
}

// Decoding other bytes as Latin-1 could produce the name of another user.
function readUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new AuthenticationFailed(frameworkMessages('authentication_failed.remote_user'))
  return bytes.toString()
}
