// Makes a server listen on a port.

import { lookup } from 'node:dns/promises'
import type { FastifyInstance } from 'fastify'
import { CommandError } from '../commands/error-messages.ts'

/** The address on which a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens on one address, even if the host name resolves to several: for each further address, Fastify would open
 * another server, to which the limits of this one do not apply. If the port is in use, throws CommandError with the
 * message that `portInUse` returns.
 */
export async function listen(
  app: FastifyInstance,
  { host: name, port }: Address,
  portInUse: (port: number) => string,
): Promise<Address> {
  const { address: host } = await lookup(name, { order: 'ipv4first' })
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? new CommandError(portInUse(port)) : error
  }
  return { host, port: (app.server.address() as { port: number }).port }
}

/** Formats the HTTP URL of a host, which is a name or an IP address. */
export const formatUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
