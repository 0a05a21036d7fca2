// When Fastify becomes ready, the resources of all its APIs are checked against their databases. A wrong declaration stops
// the start, and so does a database that cannot be reached.

import type { FastifyInstance } from 'fastify'
import type { Database } from '../../database/database.ts'
import { compareMigrations } from '../../database/migrations/migrate.ts'
import type { OwnedMigrations } from '../../database/migrations/migrations.ts'
import { ServiceUnavailable } from '../../errors/exceptions.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
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

/** The resources of all APIs of a Fastify server. */
export const listRegisteredResources = ({ server }: Pick<FastifyInstance, 'server'>): readonly BoundResource[] =>
  resourcesByServer.get(server) ?? []

interface MigratedDatabase {
  readonly database?: Database
  readonly migrations?: readonly OwnedMigrations[]
}

/** Checks that the steps have been applied when the Fastify server becomes ready. Without them, it does nothing. */
export function checkMigrationsWhenReady(fastify: FastifyInstance, { database, migrations }: MigratedDatabase): void {
  if (database === undefined || migrations === undefined) return
  fastify.addHook('onReady', async () => {
    const { missing } = await compareMigrations(database, migrations).catch(explainUnreadable)
    const names = missing.flatMap(({ owner, steps }) => steps.map(step => `${owner}/${step}`))
    if (names.length > 0)
      throw new DeclarationError([
        `the database lacks the migrations ${names.join(', ')}: call migrate() before ready()`,
      ])
  })
}

function explainUnreadable(error: unknown): never {
  throw error instanceof ServiceUnavailable ? createReadError(error) : error
}

async function checkAll(boundResources: readonly BoundResource[]): Promise<void> {
  const problems: string[] = []
  for (const [database, resources] of Map.groupBy(boundResources, bound => bound.database)) {
    try {
      for (const problem of await findDatabaseProblems(database, resources)) problems.push(problem)
    } catch (error) {
      explainUnreadable(error)
    }
  }
  if (problems.length > 0) throw new DeclarationError(problems)
}

function createReadError(error: ServiceUnavailable): Error {
  const cause = error.cause instanceof Error ? error.cause : error
  const reason = cause.message || (cause as NodeJS.ErrnoException).code
  return new Error(`cannot check the declarations against the database: ${reason}`, { cause })
}
