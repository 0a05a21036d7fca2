import { sql } from 'kysely'
import { step } from 'resource-api/migrations'

/** The types that only PostgreSQL has. */
export default step({
  async run(kysely, _, { name }) {
    if (name !== 'postgres') return
    await sql`create extension if not exists citext`.execute(kysely)
    await kysely.schema.createType('order_status').asEnum(['open', 'shipped']).execute()
  },
})
