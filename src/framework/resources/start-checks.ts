// When Fastify becomes ready, the resources of all its APIs are checked against their databases. A wrong declaration stops
// the start, and so does a database that cannot be reached.

import type { FastifyInstance } from 'fastify'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import type { BoundResource } from './bound-resource.ts'
import { findDatabaseProblems } from './check-database.ts'

/** Declarations do not match the database; the message has one line per mistake. */
export class DeclarationError extends Error {
  override name = 'DeclarationError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

// All APIs of a server share one read of each database's catalogue.
const resourcesByServer = new WeakMap<FastifyInstance['server'], BoundResource[]>()

/** Checks the resources of an API when its Fastify server becomes ready. */
export function checkWhenReady(fastify: FastifyInstance, boundResources: readonly BoundResource[]): void {
  const registered = resourcesByServer.get(fastify.server)
  if (registered !== undefined) {
    registered.push(...boundResources)
    return
  }
  const resources = [...boundResources]
  resourcesByServer.set(fastify.server, resources)
  fastify.addHook('onReady', () => checkAll(resources))
}

async function checkAll(boundResources: readonly BoundResource[]): Promise<void> {
  const problems: string[] = []
  for (const [database, resources] of Map.groupBy(boundResources, bound => bound.database)) {
    try {
      problems.push(...(await findDatabaseProblems(database, resources)))
    } catch (error) {
      throw error instanceof ServiceUnavailable ? createReadError(error) : error
    }
  }
  if (problems.length > 0) throw new DeclarationError(problems)
}

function createReadError(error: ServiceUnavailable): Error {
  const cause = error.cause instanceof Error ? error.cause : error
  const reason = cause.message || (cause as NodeJS.ErrnoException).code
  return new Error(`cannot check the declarations against the database: ${reason}`, { cause })
}
