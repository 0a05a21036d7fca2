import { createFullTextIndex } from 'resource-api'
import { step } from 'resource-api/migrations'

export default step({
  after: ['0002_shop'],
  run: (kysely, _, dialect) =>
    createFullTextIndex(kysely, dialect, { table: 'products', columns: ['name', 'description'] }),
})
