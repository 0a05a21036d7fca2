// `REMOTE_USER` as a header field, from the proxies that a deployer lists and from nobody else: not from whom a proxy
// speaks for, and not through `X-Forwarded-For`.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { AuthenticationFailed } from '../errors/exceptions.ts'
import { listedAddresses } from './listed-addresses.ts'
import type { Identify } from './remote-user.ts'

export interface RemoteUserHeaderOptions {
  /** The header field's name. One with `_` is another one than with `-`. */
  readonly header: string
  /** The addresses and networks, such as `10.0.0.0/8`, of the machines that may set it. */
  readonly proxies: readonly string[]
}

/** Reads the name from a header field; throws where an address is none. */
export function remoteUserHeader({ header, proxies }: RemoteUserHeaderOptions): Identify {
  const name = header.toLowerCase()
  const isListed = listedAddresses(proxies)
  return ({ raw }) => {
    if (!isListed(raw.socket.remoteAddress)) return undefined
    const [value, ...others] = valuesOf(raw, name)
    // One of them may be what a client sent, and the proxy handed on.
    if (others.length > 0) throw new AuthenticationFailed('Invalid remote user.')
    return value === undefined ? undefined : readUtf8(Buffer.from(value, 'latin1'))
  }
}

// Read as Latin-1, other bytes would be the same text as some UTF-8, and so one identity with it.
function readUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new AuthenticationFailed('Invalid remote user.')
  return bytes.toString()
}

const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name)
