// Queries of lists compared with plain TypeScript over all rows, for every field, lookup and caller: what they find, in which
// order, on which page, and what they show. And what a caller is told about rows that the caller may not see: nothing.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import {
  type CallerKey,
  comparingOf,
  filteredFields,
  findOrders,
  formatFilter,
  formatSearch,
  orderedFields,
  searchTerms,
  sortOrders,
  type UsedFilter,
} from '../support/filter-model.ts'
import { insertShop, shopMigrations, shopOrdering, shopResources, shopTime } from '../support/filtered-shop.ts'
import { asUser, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'
import { isThorough, randomCases } from '../support/repetitions.ts'
import { expandable, listNames, type Selection, showOrder } from '../support/shown-orders.ts'

const callers = { ann: 1, bob: 2, nobody: null } as const
type CallerName = keyof typeof callers

const statements: string[] = []
const declaredOrdering = shopOrdering.map(name => name.replaceAll('.', '__'))

const samplesOf = (name: string, lookup: string): readonly string[] =>
  lookup === 'isnull'
    ? ['true', 'false']
    : lookup === 'date'
      ? ['2026-01-31', '2026-02-01', '0001-01-01']
      : lookup === 'year'
        ? ['2025', '2026', '9999']
        : filteredFields[name]!.samples

/** Each lookup of each field, with each of its values, or two for a range. */
const everyLookup: readonly (readonly UsedFilter[])[] = Object.entries(filteredFields).flatMap(([name, { lookups }]) =>
  lookups.map(lookup => {
    const comparing = comparingOf(lookup)
    const samples = samplesOf(name, comparing)
    return samples.map((sample, index) => ({
      name,
      lookup,
      given: ['range', 'in'].includes(comparing) ? [sample, samples[(index + 1) % samples.length]!] : [sample],
    }))
  }),
)
const everyFilter = everyLookup.flat()

/** What is tried for a caller: every value of each lookup, or in `npm test`, one value of a third of the lookups. */
const chooseFilters = (round: number): readonly UsedFilter[] =>
  isThorough
    ? everyFilter
    : everyLookup.filter((_, index) => index % 3 === round).flatMap(filters => filters[round % filters.length]!)

const everyOrdering = orderedFields.flatMap(name => [name, `-${name}`])
const someOrderings = everyOrdering.filter((_, index) => isThorough || index % 5 === 0)

const anyTerms = fc.array(fc.constantFrom(...searchTerms), { minLength: 1, maxLength: 3 })

const anyCaller = fc.constantFrom(...(Object.keys(callers) as CallerName[]))

const anyOrdering = fc.array(fc.constantFrom(...everyOrdering), {
  minLength: 1,
  maxLength: 4,
})

const anyFilters = fc.uniqueArray(fc.constantFrom(...everyFilter), {
  minLength: 1,
  maxLength: 3,
  selector: filter => formatFilter(filter)[0],
})
const anyGroups = fc.array(anyFilters, { maxLength: 2 })

const anySelection = fc.subarray([...expandable]).chain(expand => {
  const names = [...listNames(expand)]
  return fc.record<Selection>({
    expand: fc.constant(expand),
    fields: fc.subarray(names).map(fields => ['id', ...fields]),
    omit: fc.subarray(names, { maxLength: 3 }),
  })
})

/** Pairs of filters, and groups: the same in each run. */
const someQueries = fc.sample(fc.tuple(anyFilters, anyGroups), {
  numRuns: randomCases(200),
  seed: 1,
})

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
      for (const [round, [caller, key]] of (Object.entries(callers) as [CallerName, CallerKey][]).entries())
        for (const filter of chooseFilters(round)) {
          const response = await get('orders', [filter], caller)
          assert.equal(response.status, 200, `${formatFilter(filter)}: ${response.text}`)
          assert.deepEqual(readKeys(response.json()), findOrders([filter], key), `${caller}: ${formatFilter(filter)}`)
        }
    })

    test('each word and phrase of a search is found where the caller may see it, in one statement', async () => {
      const search = (terms: readonly string[]) => `&search=${encodeURIComponent(formatSearch(terms))}`
      for (const term of searchTerms)
        for (const [caller, key] of Object.entries(callers) as [CallerName, CallerKey][]) {
          const response = await get('orders', [], caller, search([term]))
          assert.deepEqual(readKeys(response.json()), findOrders([], key, [], [term]), `${caller}: ${term}`)
        }
      await fc.assert(
        fc.asyncProperty(anyTerms, fc.option(anyFilters, { nil: [] }), anyCaller, async (terms, filters, caller) => {
          statements.length = 0
          const page = (await get('pages', filters, caller, `${search(terms)}&limit=50`)).json()
          const expected = findOrders(filters, callers[caller], [], terms)
          assert.deepEqual([page.count, readKeys(page.results)], [expected.length, expected])
          assert.ok(statements.length <= (expected.length > 0 ? 1 : 2))
        }),
        { numRuns: randomCases(100) },
      )
    })

    test('each ordering sorts by what the caller may see, in lists without pages', async () => {
      for (const ordering of someOrderings)
        for (const [caller, key] of Object.entries(callers) as [CallerName, CallerKey][]) {
          const response = await get('orders', [], caller, `&ordering=${ordering}`)
          const expected = sortOrders(findOrders([], key), [ordering], key)
          assert.deepEqual(readKeys(response.json()), expected, `${caller}: ${ordering}`)
        }
      for (const [caller, key] of Object.entries(callers) as [CallerName, CallerKey][]) {
        const expected = sortOrders(findOrders([], key), declaredOrdering, key)
        assert.deepEqual(readKeys((await get('arranged', [], caller)).json()), expected, caller)
      }
    })

    /** Follows the links to the other pages; returns the objects of each page, and the path of the last page. */
    const follow = async (start: string, caller: CallerName, step: 'next' | 'previous') => {
      const pages: (readonly { readonly id: number }[])[] = []
      for (let path = start; ; ) {
        statements.length = 0
        const response = await shop.client.get(path, caller === 'nobody' ? {} : asUser(caller))
        assert.equal(response.status, 200, response.text)
        const body = response.json()
        const items = Array.isArray(body) ? body : body.results
        assert.ok(statements.length <= (items.length > 0 ? 1 : 2), 'one statement per page')
        pages.push(items)
        const [, linked] = /<([^>]*)>; rel="next"/.exec(String(response.headers.link)) ?? []
        const link: string | null | undefined = Array.isArray(body) ? linked : body[step]
        if (!link) return { pages, last: path }
        path = link.replace('http://localhost', '')
      }
    }

    test('the pages of every paginator contain each row once, in the order of the query', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('pages', 'numbered', 'linked', 'walked'),
          fc.option(anyOrdering, { nil: [] }),
          fc.option(anyFilters, { nil: [] }),
          fc.option(anyTerms, { nil: [] }),
          anyCaller,
          async (resource, ordering, filters, terms, caller) => {
            const key = callers[caller]
            const query = new URLSearchParams(filters.map(formatFilter))
            if (ordering.length > 0) query.set('ordering', ordering.join())
            if (terms.length > 0) query.set('search', formatSearch(terms))
            const declared = resource === 'walked' ? declaredOrdering : []
            const expected = sortOrders(
              findOrders(filters, key, [], terms),
              ordering.length > 0 ? ordering : declared,
              key,
            )
            const { pages, last } = await follow(`/${resource}/?${query}`, caller, 'next')
            assert.deepEqual(readKeys(pages.flat()), expected)
            if (resource !== 'walked') return
            const backward = await follow(last, caller, 'previous')
            assert.deepEqual(readKeys(backward.pages.toReversed().flat()), expected)
          },
        ),
        { numRuns: randomCases(150) },
      )
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
        { numRuns: randomCases(150) },
      )
    })

    test('pages show what the query chooses of the rows that it finds, in one statement each', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom('pages', 'numbered', 'linked', 'walked'),
          anyOrdering,
          fc.oneof(fc.constant([]), anyFilters),
          fc.oneof(fc.constant([]), anyGroups),
          fc.oneof(fc.constant([]), anyTerms),
          anySelection,
          anyCaller,
          async (resource, ordering, filters, groups, terms, selection, caller) => {
            const key = callers[caller]
            const query = new URLSearchParams([
              ...filters.map(formatFilter),
              ...formatGroups(groups),
              ['ordering', ordering.join()],
              ['search', formatSearch(terms)],
              ...Object.entries(selection).map(([name, names]): [string, string] => [name, names.join()]),
            ])
            const { pages } = await follow(`/${resource}/?${query}`, caller, 'next')
            const found = sortOrders(findOrders(filters, key, groups, terms), ordering, key)
            assert.deepEqual(
              pages.flat(),
              found.map(id => showOrder(id, selection, key)),
            )
          },
        ),
        { numRuns: randomCases(120) },
      )
    })

    test('the SQL of an application may contain "or", also beside other filters and in groups', async () => {
      const late = { name: 'late_or', lookup: 'exact', given: ['open'] }
      const paid = { name: 'status', lookup: 'exact', given: ['paid'] }
      for (const [filters, groups] of [
        [[late, paid], []],
        [[paid, late], []],
        [[paid], [[late]]],
        [[late], [[paid, { ...paid, lookup: 'in' }]]],
      ] as const)
        assert.deepEqual(
          readKeys((await get('orders', filters, 'ann', '', groups)).json()),
          findOrders(filters, callers.ann, groups),
        )
    })

    test('no filter, search, ordering, page, cursor or expansion tells a caller about rows that the caller may not see', async () => {
      const readAll = async () => {
        const bodies: string[] = []
        for (const filter of chooseFilters(0)) {
          const [name, value] = formatFilter(filter)
          bodies.push(`${name}=${value}: ${(await get('pages', [filter], 'bob', '&limit=50')).text}`)
        }
        for (const [filters, groups] of someQueries)
          bodies.push(`${formatGroups(groups)}: ${(await get('pages', filters, 'bob', '&limit=50', groups)).text}`)
        for (const term of searchTerms)
          bodies.push(
            `${term}: ${(await get('numbered', [], 'bob', `&search=${encodeURIComponent(formatSearch([term]))}`)).text}`,
          )
        for (const resource of ['orders', 'numbered', 'linked', 'walked'])
          bodies.push(`${resource}: ${(await get(resource, [], 'bob', `&expand=${expandable}`)).text}`)
        for (const ordering of ['', ...someOrderings])
          for (const resource of ['orders', 'pages', 'numbered', 'linked', 'walked', 'arranged']) {
            const query = ordering === '' ? '' : `&ordering=${ordering}`
            bodies.push(`${resource} ${ordering}: ${(await get(resource, [], 'bob', query)).text}`)
            if (resource === 'walked') {
              const { pages, last } = await follow(`/walked/?${query}`, 'bob', 'next')
              bodies.push(`${ordering}: ${JSON.stringify(pages)} ${last}`)
            }
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
        await kysely.insertInto('orders').values({ id: 1000, number: 'Emma', status: 'late', owner_id: 1 }).execute()
      })
      assert.deepEqual(await readAll(), before)
    })
  },
  { migrations: shopMigrations, observe: sql => statements.push(sql) },
)
