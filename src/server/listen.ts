// Makes a server listen on a port.

import { lookup } from 'node:dns/promises'
import type { FastifyInstance } from 'fastify'

/** The address on which a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens on one address, even if the host name resolves to several: for each further address, Fastify would open
 * another server, which the plugins do not protect. Rejects with an error whose code is `EADDRINUSE` if the port is in
 * use.
 */
export async function listen(app: FastifyInstance, { host: name, port }: Address): Promise<Address> {
  const { address: host } = await lookup(name, { order: 'ipv4first' })
  await app.listen({ host, port })
  return { host, port: (app.server.address() as { port: number }).port }
}
