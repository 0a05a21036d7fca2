// Makes a server of the service listen on a port.

import type { FastifyInstance } from 'fastify'
import { type Address, listen } from '#server'
import { CommandError } from './error-messages.ts'

/** Listens. If the port is in use, throws CommandError with the message that `portInUse` returns. */
export async function listenOrExplain(
  app: FastifyInstance,
  address: Address,
  portInUse: (port: number) => string,
): Promise<Address> {
  try {
    return await listen(app, { host: address.host, port: address.port })
  } catch (error) {
    const isInUse = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
    throw isInUse ? new CommandError(portInUse(address.port)) : error
  }
}

/** Formats the HTTP URL of a host, which is a name or an IP address. */
export const formatUrl = (host: string, port: number): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`
