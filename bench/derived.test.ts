// Values and conditions without SQL find the same rows as the SQL that they replace, and the database has the same plan for both.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { FastifyInstance } from 'fastify'
import { sql } from 'kysely'
import { createService, type Services } from 'resource-api/service'
import { createDatabase, createFile, type Storage } from '../test/support/service.ts'
import { derivations } from './derived.ts'
import { fillingStatements } from './queried.ts'
import { openQueriedServices } from './service.ts'

/** The plan of a statement, without the names that it gives to related tables. */
async function explain({ database: { kysely, dialect } }: Services, statement: string): Promise<string> {
  const prefix = dialect.name === 'postgres' ? 'explain (generic_plan, costs off)' : 'explain query plan'
  const { rows } = await sql.raw<Record<string, unknown>>(`${prefix} ${statement}`).execute(kysely)
  const lines = rows.map(row => String(row['QUERY PLAN'] ?? row.detail))
  return lines.join('\n').replaceAll(/"related \d+(?:_\d+)?"|\brelated \d+\b|\b[oc](?:_\d+)?\b/g, 'related')
}

for (const [name, create] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase }))
  suite(`values and conditions without SQL, ${name}`, () => {
    let storage: Storage
    let services: Services
    let app: FastifyInstance
    let statements: string[] = []

    before(async () => {
      storage = await create()
      services = openQueriedServices(storage.url, { observe: statement => void statements.push(statement) })
      await services.migrate()
      for (const text of fillingStatements(100, 3000))
        await services.database.transaction(({ kysely }) => sql.raw(text).execute(kysely))
      app = await createService(services)
    })

    after(async () => {
      await app.close()
      await services.close()
      await storage.remove()
    })

    /** The objects of a list, and the plans of the statements that read them. */
    const list = async (path: string) => {
      statements = []
      const response = await app.inject(path)
      assert.equal(response.statusCode, 200, response.body)
      const plans: string[] = []
      for (const statement of statements.filter(text => /\b(?:customers|orders)\b/.test(text)))
        plans.push(await explain(services, statement))
      return { count: response.json().count, results: response.json().results as readonly object[], plans }
    }

    for (const [derivation, query] of Object.entries(derivations))
      test(`${derivation}: the rows and the plans are those of SQL`, async () => {
        const declared = await list(`/declared-${derivation}/?${query}offset=5`)
        const written = await list(`/written-${derivation}/?${query}offset=5`)
        assert.deepEqual(declared, written)
        assert.equal(declared.results.length, 10)
        assert.match(declared.plans.join('\n'), /\brelated\b/)
      })
  })
