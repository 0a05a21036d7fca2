import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * The address that identifies the client of a request: its IPv4 address, also if mapped into IPv6, or the /64 network
 * of its IPv6 address, because one client usually has a whole /64 (RFC 6177). Fastify takes the address from trusted
 * proxies. All requests without a valid address count as one client.
 */
export function clientAddress({ ip }: Pick<FastifyRequest, 'ip'>): string {
  if (!ipaddr.isValid(ip)) return 'unknown'
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv4' ? address.toString() : `${formatNetwork(address as ipaddr.IPv6)}::/64`
}

const formatNetwork = ({ parts }: ipaddr.IPv6): string =>
  parts
    .slice(0, 4)
    .map(part => part.toString(16))
    .join(':')
