// `REMOTE_USER` as a header field, from the proxies that a deployer lists and from nobody else: not from whom a proxy
// speaks for, and not through `X-Forwarded-For`.

import type { IncomingMessage } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import { AuthenticationFailed } from '../errors/exceptions.ts'
import { decodeText } from './decode-text.ts'
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
  const peers = listPeers(proxies)
  return ({ raw }) => {
    const { remoteAddress } = raw.socket
    if (remoteAddress === undefined || !peers.check(remoteAddress, family(remoteAddress))) return undefined
    const [value, ...others] = valuesOf(raw, name)
    // One of them may be what a client sent, and the proxy handed on.
    if (others.length > 0) throw new AuthenticationFailed('Invalid remote user.')
    return value === undefined ? undefined : decodeText(Buffer.from(value, 'latin1'))
  }
}

const valuesOf = ({ rawHeaders }: IncomingMessage, name: string): readonly string[] =>
  rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]!.toLowerCase() === name)

// It also knows an IPv4 address that is written as an IPv6 one.
function listPeers(proxies: readonly string[]): BlockList {
  const peers = new BlockList()
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/')
    if (bits === undefined) peers.addAddress(address, family(address))
    else peers.addSubnet(address, Number(bits), family(address))
  }
  return peers
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')
