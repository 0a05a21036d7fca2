// Values that TypeScript computes for all rows of a page in one call, possibly asynchronously.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { APIException, computed, integerKey, key, nested, pageNumber, resource, text } from 'resource-api'
import { bookRow } from '../support/library.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

/** The titles of each call, and its caller. */
const calls: { readonly titles: readonly unknown[]; readonly user: string }[] = []

const loud = computed({
  columns: ['title', 'id'],
  async values(rows, { user }) {
    calls.push({ titles: rows.map(({ title }) => title), user: user.username })
    await setImmediate()
    return rows.map(({ title, id }) => (title === 'nothing' ? undefined : `${title}! ${id} ${user.username}`))
  },
})
const table = 'books'
const fields = { id: key(), title: text(), loud }
const failing = (name: string, values: (rows: readonly unknown[]) => never | Promise<never>) =>
  resource(name, {
    table,
    actions: ['list', 'retrieve'],
    fields: { id: key(), score: computed({ columns: [], values }) },
    pagination: null,
  })
const books = resource('books', { table, actions: ['list'], fields: { id: key(), title: text() } })
const loudBooks = { name: 'books', table, key: integerKey(), fields }
class Unavailable extends APIException {
  static override status = 503
}

const paged = resource('paged', {
  table,
  actions: ['list', 'retrieve', 'update'],
  fields: { ...fields, short: computed({ columns: ['title'], value: ({ title }) => String(title).slice(0, 2) }) },
  pagination: pageNumber({ pageSize: 3 }),
})
const streamed = resource('streamed', { table, actions: ['list'], fields, pagination: null })
const authors = resource('authors', {
  table: 'authors',
  actions: ['list'],
  fields: { id: key(), books: nested({ of: loudBooks, many: { reverse: 'author_id' } }) },
  pagination: null,
})
const direct = resource('direct', {
  table,
  actions: ['list'],
  fields: {
    id: key(),
    twice: computed({ columns: ['pages'], values: rows => rows.map(({ pages }) => Number(pages) * 2) }),
  },
  pagination: null,
})
const longFailure = resource('long-failure', {
  table,
  actions: ['list'],
  fields: {
    id: key(),
    title: text(),
    score: computed({ columns: [], values: () => Promise.reject(new Error('no connection')) }),
  },
  pagination: null,
})
const failures = [
  longFailure,
  failing('throws', () => {
    throw new Error('no connection')
  }),
  failing('rejects', async () => {
    throw new Error('no connection')
  }),
  failing('too-few', async rows => rows.slice(1) as never),
  failing('no-array', async () => undefined as never),
  failing('unavailable', async () => {
    throw new Unavailable()
  }),
]

const log: string[] = []

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [books, paged, streamed, authors, direct, ...failures],
  }),
  api => {
    let ids: readonly number[]
    const insertBooks = (titles: readonly string[], author_id: number | null = null) => {
      const in_print = api().database.dialect.name === 'sqlite' ? 1 : true
      return api().insert(
        'books',
        titles.map(title => ({ ...bookRow, in_print, title, author_id })),
      )
    }
    beforeEach(async () => {
      await api().database.transaction(async ({ kysely }) => {
        for (const name of ['books', 'authors']) await kysely.deleteFrom(name).execute()
      })
      ids = await insertBooks(['a', 'b', 'nothing', 'd'])
      calls.length = 0
      log.length = 0
    })

    test('one call computes the values of a page, of its last rows, and of an object', async () => {
      const page = await api().client.get('/paged/', asUser('ann'))
      assert.deepEqual(
        page.json().results.map((item: { readonly loud: unknown; readonly short: unknown }) => [item.loud, item.short]),
        [
          [`a! ${ids[0]} ann`, 'a'],
          [`b! ${ids[1]} ann`, 'b'],
          [null, 'no'],
        ],
      )
      await api().client.get('/paged/?page=2', asUser('bob'))
      const object = await api().client.get(`/paged/${ids[3]}/`, asUser('bob'))
      assert.deepEqual(object.json(), { id: ids[3], title: 'd', loud: `d! ${ids[3]} bob`, short: 'd' })
      assert.deepEqual(calls, [
        { titles: ['a', 'b', 'nothing'], user: 'ann' },
        { titles: ['d'], user: 'bob' },
        { titles: ['d'], user: 'bob' },
      ])
    })

    test('a cached page is computed again for each request', async () => {
      for (const name of ['ann', 'bob'] as const) {
        const { results } = (await api().client.get('/paged/', asUser(name))).json()
        assert.equal(results[0].loud, `a! ${ids[0]} ${name}`)
      }
      assert.deepEqual(
        calls.map(({ user }) => user),
        ['ann', 'bob'],
      )
    })

    test('the response to a write contains the computed value', async () => {
      const changed = await api().client.patch(`/paged/${ids[0]}/`, { ...asUser('ann'), json: { title: 'new' } })
      assert.equal(changed.json().loud, `new! ${ids[0]} ann`)
      assert.deepEqual(calls, [{ titles: ['new'], user: 'ann' }])
    })

    test('a page without rows needs no call', async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('books').execute())
      assert.deepEqual((await api().client.get('/paged/')).json().results, [])
      assert.deepEqual((await api().client.get('/streamed/')).json(), [])
      assert.deepEqual(calls, [])
    })

    test('nested objects of all rows are computed in one call', async () => {
      const authorIds = await api().insert('authors', [{ name: 'x' }, { name: 'y' }, { name: 'z' }])
      const written = [...(await insertBooks(['x1', 'x2'], authorIds[0])), ...(await insertBooks(['y1'], authorIds[1]))]
      const list = (await api().client.get('/authors/', asUser('ann'))).json()
      assert.deepEqual(
        list.map((author: { readonly books: readonly { readonly loud: string }[] }) =>
          author.books.map(book => book.loud),
        ),
        [[`x1! ${written[0]} ann`, `x2! ${written[1]} ann`], [`y1! ${written[2]} ann`], []],
      )
      assert.deepEqual(calls, [{ titles: ['x1', 'x2', 'y1'], user: 'ann' }])
    })

    test('a streamed list calls the function for each portion', async () => {
      const titles = Array.from({ length: 600 }, (_, index) => `${index}`.padEnd(800, '.'))
      const written = await insertBooks(titles)
      const list: readonly { readonly id: number; readonly loud: string }[] = (
        await api().client.get('/streamed/', asUser('ann'))
      ).json()
      assert.deepEqual(
        list.slice(4).map(item => item.loud),
        titles.map((title, index) => `${title}! ${written[index]} ann`),
      )
      assert.ok(calls.length > 1, `${calls.length} calls`)
      assert.ok(calls.length < 100, `${calls.length} calls`)
      assert.deepEqual(
        calls.flatMap(call => call.titles),
        ['a', 'b', 'nothing', 'd', ...titles],
      )
    })

    test('the function may be synchronous', async () => {
      const list: readonly { readonly twice: number }[] = (await api().client.get('/direct/')).json()
      assert.deepEqual(
        list.map(({ twice }) => twice),
        [948, 948, 948, 948],
      )
    })

    for (const [name, message] of [
      ['throws', 'no connection'],
      ['rejects', 'no connection'],
      [
        'too-few',
        /values\(\) returned (?:3 values for 4 rows|0 values for 1 rows): return one value for each row, in the order of the rows/,
      ],
      ['no-array', 'values() did not return an array: return one value for each row'],
    ] as const)
      test(`an error of the function is a 500 whose log names the field: ${name}`, async () => {
        for (const path of [`/${name}/`, `/${name}/${ids[0]}/`]) {
          log.length = 0
          assert.equal((await api().client.get(path)).status, 500)
          const [, logged] = /"message":"((?:[^"\\]|\\.)*)"/.exec(log.join(''))!
          const text = JSON.parse(`"${logged}"`) as string
          const prefix = `resource "${name}": field "score": `
          assert.ok(text.startsWith(prefix), text)
          assert.match(
            text.slice(prefix.length),
            typeof message === 'string' ? new RegExp(RegExp.escape(message)) : message,
          )
        }
      })

    test('an error in the first portion of a streamed list is a 500', async () => {
      await insertBooks(Array.from({ length: 600 }, () => 'x'.repeat(800)))
      const { status } = await api().client.get('/long-failure/')
      assert.equal(status, 500)
      assert.match(log.join(''), /resource \\"long-failure\\": field \\"score\\": no connection/)
    })

    test('an exception of the API is the response', async () => {
      const { status } = await api().client.get('/unavailable/')
      assert.equal(status, 503)
    })
  },
  { log: line => void log.push(line) },
)
