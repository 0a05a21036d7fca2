// When Fastify becomes ready, the resources of all its APIs are checked against their databases: what is declared wrongly
// ends the start, and so does a database that cannot be asked.

import type { FastifyInstance } from 'fastify'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import type { BoundResource } from './bound-resource.ts'
import { databaseProblems } from './check-database.ts'

/** Declarations do not fit the database; the message has a line for each mistake. */
export class WrongDeclarations extends Error {
  override name = 'WrongDeclarations'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

// APIs of one server share one look at each database.
const checked = new WeakMap<FastifyInstance['server'], BoundResource[]>()

/** Has the resources of an API checked when the server that it is part of becomes ready. */
export function checkWhenReady(fastify: FastifyInstance, bindings: readonly BoundResource[]): void {
  const known = checked.get(fastify.server)
  if (known !== undefined) {
    known.push(...bindings)
    return
  }
  const all = [...bindings]
  checked.set(fastify.server, all)
  fastify.addHook('onReady', () => checkAll(all))
}

async function checkAll(bindings: readonly BoundResource[]): Promise<void> {
  const problems: string[] = []
  for (const [database, own] of Map.groupBy(bindings, bound => bound.database)) {
    try {
      problems.push(...(await databaseProblems(database, own)))
    } catch (error) {
      throw error instanceof ServiceUnavailable ? unread(error) : error
    }
  }
  if (problems.length > 0) throw new WrongDeclarations(problems)
}

function unread(error: ServiceUnavailable): Error {
  const cause = error.cause instanceof Error ? error.cause : error
  const reason = cause.message || (cause as NodeJS.ErrnoException).code
  return new Error(`the database cannot be asked whether the declarations fit it: ${reason}`, { cause })
}
