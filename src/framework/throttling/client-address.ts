import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * What stands for the client of a request: its IPv4 address, also where that is mapped into IPv6, or the /64 network of
 * its IPv6 address, all of which one client has (RFC 6177). Fastify derives the address from the proxies that it trusts;
 * clients without one that can be read are one client.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv4' ? address.toString() : `${networkOf(address as ipaddr.IPv6)}::/64`
}

const networkOf = ({ parts }: ipaddr.IPv6): string =>
  parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')
