// A long list does not block the event loop: its rows are serialized in time slices, and other work runs in between.
// Each row here takes a fixed time, so on a slow machine a turn of the event loop only handles fewer rows.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { computed, key, pageNumber, resource, text } from 'resource-api'
import { bookRow } from '../support/library.ts'
import { asUser, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const count = 60
/** The milliseconds of work per row. */
const millisecondsPerRow = 1

/** Each serialized row: for which request, and in which turn of the event loop. */
const serializedRows: { readonly caller: string; readonly turn: number }[] = []
let turn = 0
let isCounting = false

const countTurns = () => {
  turn++
  if (isCounting) setImmediate(countTurns)
}

const slowTitle = computed({
  columns: ['title'],
  value: ({ title }, { request }) => {
    serializedRows.push({ caller: request.headers['x-stream'] as string, turn })
    for (const start = performance.now(); performance.now() - start < millisecondsPerRow; ) Math.random()
    return title
  },
})

const fields = { id: key(), title: text(), slow: slowTitle }

const greeting = computed({
  columns: ['title'],
  value: ({ title }, { user }) => `${user.username}: ${title}`,
})

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [
      resource('streamed', { table: 'books', actions: ['list'], fields, pagination: null }),
      resource('paged', { table: 'books', actions: ['list'], fields, pagination: pageNumber({ pageSize: count }) }),
      resource('greetings', {
        actions: ['list'],
        table: 'books',
        fields: { id: key(), greeting },
        pagination: pageNumber({ pageSize: 2 }),
      }),
      resource('all-greetings', { table: 'books', actions: ['list'], fields: { greeting }, pagination: null }),
    ],
  }),
  api => {
    let library: LibraryApi
    before(async () => {
      library = api()
      const in_print = library.database.dialect.name === 'sqlite' ? 1 : true
      const rows = Array.from({ length: count }, (_, index) => ({ ...bookRow, in_print, title: `t${index}` }))
      await library.insert('books', rows)
    })

    /** Sends this many concurrent requests for the list, and checks that each response has all rows. */
    const requestConcurrently = async (path: string, streams: number) => {
      ;[serializedRows.length, turn, isCounting] = [0, 0, true]
      countTurns()
      const responses = await Promise.all(
        Array.from({ length: streams }, (_, index) =>
          library.client.get(path, { headers: { 'x-stream': String(index) } }),
        ),
      )
      isCounting = false
      for (const response of responses) {
        const body = response.json()
        assert.equal((body.results ?? body).length, count)
      }
      assert.equal(serializedRows.length, streams * count)
    }
    const checkTurns = () => {
      const rowsByTurn = Object.values(Object.groupBy(serializedRows, row => row.turn))
      const most = Math.max(...rowsByTurn.map(rows => rows!.length))
      assert.ok(most <= 10 / millisecondsPerRow, `${most} rows of ${millisecondsPerRow} ms in one turn`)
    }

    /** How many rows of each stream were serialized when the first stream ended. */
    const progressAtFirstEnd = (streams: number): readonly number[] => {
      const callers = Array.from({ length: streams }, (_, index) => String(index))
      const lastRows = callers.map(name => serializedRows.findLastIndex(({ caller }) => caller === name))
      const rows = serializedRows.slice(0, Math.min(...lastRows) + 1)
      return callers.map(name => rows.filter(({ caller }) => caller === name).length)
    }

    for (const path of ['/streamed/', '/paged/']) {
      test(`rows take at most 10 ms in a turn of the event loop: ${path}`, async () => {
        await requestConcurrently(path, 1)
        checkTurns()
      })

      test(`ten streams alternate, and their rows take at most 10 ms in a turn: ${path}`, async () => {
        // On a busy machine one stream may be over before the database has answered the others: that round shows nothing.
        for (let round = 1; ; round++) {
          await requestConcurrently(path, 10)
          checkTurns()
          const progress = progressAtFirstEnd(10)
          if (Math.min(...progress) >= count / 2) return
          assert.ok(round < 20, `rows of each stream when the first one ended, in the last round: ${progress}`)
        }
      })
    }

    test('a field that depends on the caller is computed for each caller, even if the rows are cached', async () => {
      for (const path of ['/greetings/', '/all-greetings/']) {
        for (const name of ['ann', 'bob', 'ann'] as const) {
          const body = (await library.client.get(path, asUser(name))).json()
          assert.equal((body.results ?? body)[1].greeting, `${name}: t1`)
        }
      }
    })
  },
)
