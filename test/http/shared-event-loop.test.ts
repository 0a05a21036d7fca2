// A long list holds up nobody: its rows are read and serialized in slices of time, and other work runs in between. The
// work here takes as long as the clock says, so on a slow machine there is only less of it in a turn of the event loop.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { computed, key, pageNumber, resource, text } from '../../src/framework/index.ts'
import { bookRow } from '../support/library.ts'
import { as, type LibraryApi, onEachDatabase, userScheme } from '../support/own-api.ts'

const count = 120
/** Milliseconds. */
const perRow = 1

/** Each row that was shown: to whom, and in which turn of the event loop. */
const log: { readonly caller: string; readonly turn: number }[] = []
let turn = 0
let isCounting = false

const countTurns = () => {
  turn++
  if (isCounting) setImmediate(countTurns)
}

const slowly = computed({
  columns: ['title'],
  value: ({ title }, { request }) => {
    log.push({ caller: request.headers['x-stream'] as string, turn })
    for (const start = performance.now(); performance.now() - start < perRow; ) Math.random()
    return title
  },
})

const fields = { id: key(), title: text(), slow: slowly }

const greeting = computed({
  columns: ['title'],
  value: ({ title }, { user }) => `${user.username}: ${title}`,
})

onEachDatabase(
  () => ({
    authentication: [userScheme],
    resources: [
      resource('streamed', { table: 'books', fields, pagination: null }),
      resource('paged', { table: 'books', fields, pagination: pageNumber({ pageSize: count }) }),
      resource('greetings', {
        table: 'books',
        fields: { id: key(), greeting },
        pagination: pageNumber({ pageSize: 2 }),
      }),
      resource('all-greetings', { table: 'books', fields: { greeting }, pagination: null }),
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

    /** Requests the list so many times at once; all rows arrive each time. */
    const request = async (path: string, streams: number) => {
      ;[log.length, turn, isCounting] = [0, 0, true]
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
      assert.equal(log.length, streams * count)
    }
    const mostInOneTurn = () =>
      Math.max(...Object.values(Object.groupBy(log, row => row.turn)).map(rows => rows!.length))

    for (const path of ['/streamed/', '/paged/']) {
      for (const streams of [1, 10]) {
        test(`no turn of the event loop goes through more than 10 ms of rows: ${streams} × ${path}`, async () => {
          await request(path, streams)
          assert.ok(mostInOneTurn() <= 10 / perRow, `${mostInOneTurn()} rows of ${perRow} ms in one turn`)
        })
      }

      test(`ten streams alternate: ${path}`, async () => {
        await request(path, 10)
        const lastRows = Array.from({ length: 10 }, (_, index) =>
          log.findLastIndex(({ caller }) => caller === String(index)),
        )
        const firstEnd = Math.min(...lastRows)
        const shown = Object.groupBy(log.slice(0, firstEnd + 1), ({ caller }) => caller)
        const progress = Array.from({ length: 10 }, (_, index) => shown[String(index)]?.length ?? 0)
        assert.ok(Math.min(...progress) >= count / 2, `rows of each stream when the first one ended: ${progress}`)
      })
    }

    test('a field that is computed for the caller is computed for each caller, however often the list is kept', async () => {
      for (const path of ['/greetings/', '/all-greetings/']) {
        for (const name of ['ann', 'bob', 'ann'] as const) {
          const body = (await library.client.get(path, as(name))).json()
          assert.equal((body.results ?? body)[1].greeting, `${name}: t1`)
        }
      }
    })
  },
)
