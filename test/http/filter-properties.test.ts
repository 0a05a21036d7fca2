// Filters of lists compared with plain TypeScript over all rows, for every field, lookup and caller; and what a caller is
// told about rows that the caller may not see: nothing.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import {
  type CallerKey,
  comparingOf,
  filteredFields,
  findOrders,
  formatFilter,
  type UsedFilter,
} from '../support/filter-model.ts'
import { insertShop, shopMigrations, shopResources, shopTime } from '../support/filtered-shop.ts'
import { asUser, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const callers = { ann: 1, bob: 2, nobody: null } as const
type CallerName = keyof typeof callers

const statements: string[] = []

const samplesOf = (name: string, lookup: string): readonly string[] =>
  lookup === 'isnull'
    ? ['true', 'false']
    : lookup === 'date'
      ? ['2026-01-31', '2026-02-01', '0001-01-01']
      : lookup === 'year'
        ? ['2025', '2026', '9999']
        : filteredFields[name]!.samples

/** Every filter with one of its values, or two for a range. */
const everyFilter: readonly UsedFilter[] = Object.entries(filteredFields).flatMap(([name, { lookups }]) =>
  lookups.flatMap(lookup => {
    const comparing = comparingOf(lookup)
    const samples = samplesOf(name, comparing)
    return samples.map((sample, index) => ({
      name,
      lookup,
      given: ['range', 'in'].includes(comparing) ? [sample, samples[(index + 1) % samples.length]!] : [sample],
    }))
  }),
)

const anyFilters = fc.uniqueArray(fc.constantFrom(...everyFilter), {
  minLength: 1,
  maxLength: 3,
  selector: filter => formatFilter(filter)[0],
})
const anyGroups = fc.array(anyFilters, { maxLength: 2 })

const formatGroups = (groups: readonly (readonly UsedFilter[])[]) =>
  groups.flatMap((group, index) =>
    group.map((filter): [string, string] => {
      const [name, value] = formatFilter(filter)
      return [index === 0 ? `or.${name}` : `or.b-${index}.${name}`, value]
    }),
  )

onEachDatabase(
  () => ({ resources: shopResources, authentication: [userScheme], clock: () => shopTime }),
  api => {
    let shop: LibraryApi
    before(async () => {
      shop = api()
      await insertShop(shop.database)
    })

    const get = (
      resource: string,
      filters: readonly UsedFilter[],
      caller: CallerName,
      rest = '',
      groups: readonly (readonly UsedFilter[])[] = [],
    ) =>
      shop.client.get(
        `/${resource}/?${new URLSearchParams([...filters.map(formatFilter), ...formatGroups(groups)])}${rest}`,
        caller === 'nobody' ? {} : asUser(caller),
      )

    const readKeys = (items: readonly { readonly id: number }[]) => items.map(({ id }) => id)

    test('each filter finds the rows that have such a value, for each caller', async () => {
      for (const filter of everyFilter)
        for (const [caller, key] of Object.entries(callers) as [CallerName, CallerKey][]) {
          const response = await get('orders', [filter], caller)
          assert.equal(response.status, 200, `${formatFilter(filter)}: ${response.text}`)
          assert.deepEqual(readKeys(response.json()), findOrders([filter], key), `${caller}: ${formatFilter(filter)}`)
        }
    })

    test('several filters and groups narrow the list together, in one statement', async () => {
      await fc.assert(
        fc.asyncProperty(
          anyFilters,
          anyGroups,
          fc.constantFrom(...(Object.keys(callers) as CallerName[])),
          fc.nat({ max: 4 }),
          async (all, groups, caller, offset) => {
            const filters = groups.length === 0 ? all : all.slice(1)
            const expected = findOrders(filters, callers[caller], groups)
            const whole = await get('orders', filters, caller, '', groups)
            assert.deepEqual(readKeys(whole.json()), expected, whole.text)
            statements.length = 0
            const page = (await get('pages', filters, caller, `&offset=${offset}`, groups)).json()
            const most = page.results.length > 0 ? 1 : 2
            assert.ok(statements.length <= most, 'one statement, and another for the count of an empty page')
            assert.deepEqual(
              [page.count, readKeys(page.results)],
              [expected.length, expected.slice(offset, offset + 3)],
            )
          },
        ),
        { numRuns: 150 },
      )
    })

    test('no filter tells a caller about rows that the caller may not see', async () => {
      const readAll = async () => {
        const bodies: string[] = []
        for (const filter of everyFilter) {
          const [name, value] = formatFilter(filter)
          bodies.push(`${name}=${value}: ${(await get('pages', [filter], 'bob', '&limit=50')).text}`)
        }
        return bodies
      }
      const before = await readAll()
      // Ann's rows, which Bob may not see, become what the filters look for.
      await shop.database.transaction(async ({ kysely }) => {
        for (const [table, values] of [
          ['countries', { name: 'Emma' }],
          ['customers', { name: 'emma x', country_code: 'dk' }],
          ['tags', { slug: 'lure' }],
          ['lines', { product: 'Emma', price: '0.20' }],
          ['orders', { number: 'Emma', total: '10.00', status: 'late', due: '2026-02-28', customer_id: null }],
        ] as const)
          await kysely.updateTable(table).set(values).where('owner_id', '=', 1).execute()
      })
      assert.deepEqual(await readAll(), before)
    })
  },
  { migrations: shopMigrations, observe: sql => statements.push(sql) },
)
