// A write of many rows lets the event loop run between groups of rows, so other requests go on meanwhile. It is one transaction all
// the same.

import assert from 'node:assert/strict'
import { beforeEach, mock, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { key, type Migrations, nested, related, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const migrations: Migrations = {
  async '0001_family'({ schema }, { key, reference, text }) {
    const create = (table: string) =>
      schema
        .createTable(table)
        .addColumn('id', key)
        .addColumn('name', text, column => column.notNull())
    await create('parents').execute()
    await create('kids')
      .addColumn('parent_id', reference, column => column.references('parents.id').onDelete('cascade'))
      .execute()
    await schema.createIndex('kids_parent').on('kids').column('parent_id').execute()
    await schema.createIndex('kids_of_one_name').on('kids').columns(['parent_id', 'name']).unique().execute()
  },
}

const kids = resource('kids', {
  table: 'kids',
  fields: { id: key(), name: text(), parent: related('parents', { column: 'parent_id' }) },
})
const fields = {
  id: key(),
  name: text(),
  kids: nested({ of: kids, many: { reverse: 'parent_id' }, fields: ['id', 'name'], writable: true, max: 5000 }),
}
const parents = resource('parents', { table: 'parents', bulk: 'atomic', fields })
const each = resource('each', { table: 'parents', bulk: 'each', fields })

const family = (children: number, prefix = 'kid') =>
  Array.from({ length: children }, (_, index) => ({ name: `${prefix} ${index}` }))
const many = (objects: number, children: number) =>
  Array.from({ length: objects }, (_, index) => ({ name: `parent ${index}`, kids: family(children) }))

let onInsert: (() => void) | undefined

onEachDatabase(
  () => ({ resources: [kids, parents, each] }),
  api => {
    const send = (method: string, url: string, json: unknown) => api().client.request(method, url, { json })
    const count = async () => [(await api().rows('parents')).length, (await api().rows('kids')).length]

    /**
     * Sends a request, and counts the turns of the event loop until its response. On PostgreSQL the event loop also turns while the
     * server works, so only the counts on SQLite can be compared. Each look at the clock is a millisecond after the one before it, so
     * the counts do not depend on the speed of the machine.
     */
    const countTurns = async (method: string, url: string, json: unknown) => {
      let time = performance.now()
      const clock = mock.method(performance, 'now', () => ++time)
      let turns = 0
      let isDone = false
      const counting = (async () => {
        while (!isDone) {
          await nextTurn()
          turns++
        }
      })()
      const response = await send(method, url, json).finally(() => {
        isDone = true
        clock.mock.restore()
      })
      await counting
      assert.ok([200, 201, 204, 207].includes(response.status), response.text.slice(0, 200))
      return { turns, body: response.status === 204 ? undefined : response.json() }
    }
    /** Resolves once the first rows of a write are inserted. */
    const waitForInsert = () => new Promise<void>(resolve => (onInsert = resolve))

    beforeEach(async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('parents').execute())
    })

    const assertYields = async (
      method: string,
      url: string,
      { few, lots }: { readonly few: unknown; readonly lots: unknown },
    ) => {
      // The first request of a kind compiles its statements.
      await countTurns(method, url, few)
      const { turns: least } = await countTurns(method, url, few)
      const { turns, body } = await countTurns(method, url, lots)
      if (api().database.dialect.name === 'sqlite')
        assert.ok(turns >= least + 2, `${turns} turns, and ${least} for few rows`)
      return body
    }

    test('new objects with many children', async () => {
      const [few, lots] = [1, 2000].map(children => ({ name: 'parent', kids: family(children) }))
      const { kids } = await assertYields('POST', '/parents/', { few, lots })
      assert.deepEqual(
        kids.map(({ name }: { name: string }) => name),
        family(2000).map(({ name }) => name),
      )
    })

    test('many new objects, in their order', async () => {
      const body = await assertYields('POST', '/parents/', { few: many(1, 1), lots: many(1000, 2) })
      assert.deepEqual(
        body.map(({ name, kids }: { name: string; kids: readonly { name: string }[] }) => [name, kids.length]),
        many(1000, 2).map(({ name }) => [name, 2]),
      )
    })

    test('many objects that change or are deleted, with their children', async () => {
      const { body: made } = await countTurns('POST', '/parents/', many(200, 4))
      const { body: other } = await countTurns('POST', '/parents/', many(4, 1))
      type Made = { readonly id: number; readonly kids: readonly { readonly id: number }[] }
      const rename = ({ id, kids }: Made) => ({
        id,
        name: 'new',
        kids: kids.map(kid => ({ ...kid, name: `new ${kid.id}` })),
      })
      const changed = await assertYields('PATCH', '/parents/', { few: [rename(other[0])], lots: made.map(rename) })
      assert.deepEqual(changed, made.map(rename))
      const removed = ({ id }: Made) => ({ id, kids: [] })
      await assertYields('PATCH', '/parents/', { few: [removed(other[0])], lots: made.map(removed) })
      assert.deepEqual(await count(), [204, 3])
      const keys = (objects: readonly Made[]) => objects.map(({ id }) => id)
      await countTurns('DELETE', '/parents/', keys(other.slice(0, 1)))
      await countTurns('DELETE', '/parents/', keys(made))
      assert.deepEqual(await count(), [3, 3])
    })

    test('many items, of which some are refused', async () => {
      const items = [...many(100, 1), { name: '', kids: [] }, ...many(1, 1)]
      const body = await assertYields('POST', '/each/', { few: [{ name: '', kids: [] }, ...many(1, 1)], lots: items })
      assert.deepEqual(
        body.map(({ status }: { status: number }) => status),
        items.map(({ name }) => (name === '' ? 400 : 201)),
      )
    })

    test('all errors are in their places', async () => {
      const items = many(1000, 2).map((item, index) => (index % 333 === 0 ? { ...item, name: '' } : item))
      const response = await send('POST', '/parents/', items)
      const blank = { name: ['This field may not be blank.'] }
      assert.deepEqual(
        [response.status, response.json()],
        [400, items.map((_, index) => (index % 333 === 0 ? blank : {}))],
      )
      assert.deepEqual(await count(), [0, 0])
    })

    test('a reader gets its response before the write ends, without the new rows', async () => {
      const inserted = waitForInsert()
      let isWritten = false
      const writing = send('POST', '/parents/', { name: 'parent', kids: family(5000) }).then(response => {
        isWritten = true
        return response
      })
      await inserted
      await nextTurn()
      const read = await api().client.get('/parents/')
      assert.deepEqual([read.status, read.json(), isWritten], [200, [], false])
      assert.equal((await writing).status, 201)
      assert.deepEqual(await count(), [1, 5000])
    })

    test('a second writer waits for the first one, and succeeds', async () => {
      const inserted = waitForInsert()
      const first = send('POST', '/parents/', { name: 'first', kids: family(4000) })
      await inserted
      const second = send('POST', '/parents/', [...many(2, 2)])
      assert.deepEqual([(await first).status, (await second).status], [201, 201])
      assert.deepEqual(await count(), [3, 4004])
    })

    test('a failure in the last group undoes all groups', async () => {
      const [first] = family(1)
      const response = await send('POST', '/parents/', { name: 'parent', kids: [...family(2000), first] })
      assert.ok([400, 409].includes(response.status), response.text)
      assert.deepEqual(await count(), [0, 0])
      assert.equal((await send('POST', '/parents/', many(1, 1)[0])).status, 201)
    })
  },
  {
    migrations,
    observe(statement) {
      if (!statement.startsWith('insert into "kids"') && !statement.includes('insert into "kids"')) return
      onInsert?.()
      onInsert = undefined
    },
  },
)
