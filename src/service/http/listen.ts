// Opens the port of a server.

import { lookup } from 'node:dns/promises'
import type { FastifyInstance } from 'fastify'
import { CommandError } from '../commands/error-messages.ts'

/** Where a server listens. */
export interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens on one address, also for a name that has several: for the others, Fastify would open servers without the limits
 * of this one. Throws CommandError with `taken`, which says how to choose another port, if the port is taken.
 */
export async function listen(
  app: FastifyInstance,
  { host: name, port }: Address,
  taken: (port: number) => string,
): Promise<Address> {
  const { address: host } = await lookup(name, { order: 'ipv4first' })
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EADDRINUSE' ? new CommandError(taken(port)) : error
  }
  return { host, port: (app.server.address() as { port: number }).port }
}

/** The URL of a service on this host: a name or an address. */
export const urlOf = (host: string, port: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${port}`
