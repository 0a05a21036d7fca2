// Responses with `fields`, `omit` and `expand` do not depend on rows and columns that the caller may not see.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sql } from 'kysely'
import { createExpandedShop } from '../support/expanded-shop.ts'
import { insertShop, shopMigrations } from '../support/filtered-shop.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const expansions = [
  'customer',
  'customer.country',
  'buyer',
  'lines',
  'lines.order',
  'lines.order.customer',
  'lines_in_full.order',
  'lines_in_full.order.customer',
]
/** Fields by the expansion that shows them. */
const names = [
  ['', 'id', 'number', 'customer', 'lines', 'buyer.name', 'lines_in_full.product', 'lines_in_full.order'],
  ['customer', 'customer.name', 'customer.loud', 'customer.country'],
  ['customer.country', 'customer.country.name', 'customer.country.mine'],
  ['buyer', 'buyer.loud'],
  ['lines', 'lines.product', 'lines.order'],
  ['lines.order', 'lines.order.number', 'lines.order.customer', 'lines.order.buyer'],
  ['lines.order.customer', 'lines.order.customer.name'],
  ['lines_in_full.order', 'lines_in_full.order.number', 'lines_in_full.order.lines'],
] as const
const others = [
  'search=em',
  'ordering=-customer',
  'customer__name__icontains=x',
  'fields=owner',
  'omit=customer.owner',
  'customer__owner=2',
]
const paths = ['orders/', 'pages/', 'portions/', 'orders/1/', 'orders/4/', 'orders/5/', 'orders/7/']

const selections = fc.subarray(expansions).chain(expand => {
  const shown = names.flatMap(([expansion, ...fields]) =>
    expansion === '' || expand.some(path => `${path}.`.startsWith(`${expansion}.`)) ? fields : [],
  )
  return fc
    .tuple(fc.subarray(shown), fc.subarray(shown, { maxLength: 4 }))
    .map(([fields, omit]) => `expand=${expand}&fields=${fields}&omit=${omit}`)
})
const queries = fc
  .tuple(fc.constantFrom(...paths), selections, fc.option(fc.constantFrom(...others), { nil: '' }))
  .map(([path, selection, other]) => `/${path}?${selection}&${other}`)

onEachDatabase(
  () => ({
    resources: createExpandedShop({ ignoreRowFilter: false }),
    authentication: [userScheme],
    secret: 's'.repeat(32),
  }),
  api => {
    test('Bob is told the same whatever only Ann may see', async () => {
      const { database, client } = api()
      const { transaction } = database
      await insertShop(database)
      const ask = async (path: string) => {
        const { status, text } = await client.get(path, asUser('bob'))
        assert.ok([200, 400, 404].includes(status), text)
        return { path, status, text }
      }
      const asked = await Promise.all(fc.sample(queries, { numRuns: randomCases(250), seed: 7 }).map(ask))
      assert.ok(asked.filter(({ status, text }) => status === 200 && text.length > 100).length > asked.length / 8)
      await transaction(async ({ kysely }) => {
        for (const [table, column] of [
          ['countries', 'name'],
          ['customers', 'name'],
          ['lines', 'product'],
          ['orders', 'number'],
        ] as const)
          await sql`update ${sql.table(table)} set ${sql.ref(column)} = 'changed' where owner_id = 1`.execute(kysely)
        await sql`update customers set country_code = 'no' where owner_id = 1`.execute(kysely)
        await sql`delete from lines where owner_id = 1 and id % 3 = 0`.execute(kysely)
        await sql`delete from countries where owner_id = 1`.execute(kysely)
        // The column of a field that only the staff sees; both values hide no row from Bob.
        await sql`update customers set owner_id = null where owner_id = 2`.execute(kysely)
      })
      for (const { path, status, text } of asked) {
        assert.deepEqual(await ask(path), { path, status, text })
      }
      const changed = await client.get('/orders/?expand=customer,lines', asUser('ann'))
      assert.match(changed.text, /changed/)
    })
  },
  { migrations: shopMigrations },
)
