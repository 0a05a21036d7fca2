// The count in a statement: it is given by the process, and used only while the version of the database is the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { bookRow } from '../../../../test/support/library.ts'
import { onEachDatabase } from '../../../../test/support/own-api.ts'
import { openDatabase } from '../../database/open.ts'
import { key } from '../../fields/kinds/key.ts'
import { text } from '../../fields/kinds/text.ts'
import { resource } from '../define/define-resource.ts'
import { createOrdering } from '../query/declared-ordering.ts'
import { compileList } from './list.ts'
import { withoutRelatedResources } from './select.ts'

const books = resource('books', { table: 'books', fields: { id: key(), title: text() }, actions: ['list'] })

onEachDatabase(
  () => ({ resources: [books] }),
  api => {
    test('a statement reuses the count that it is given only if the database version is unchanged', async context => {
      const { database, url, insert } = api()
      const other = openDatabase(url)
      context.after(() => other.close())
      await insert('books', [bookRow])
      const related = { ...withoutRelatedResources, isVolatile: () => false }
      const { count, page } = compileList(
        database,
        books,
        { shows: books.fields, filter: undefined, related },
        createOrdering(books, books.ordering),
      )
      // Other tests write to other databases of the same PostgreSQL server, whose version they share.
      for (let attempt = 0; ; attempt++) {
        const [[real, version] = []] = await database.run(count, { cached_version: null, cached_count: 0 })
        const falseCount = { cached_version: version!, cached_count: 4711 }
        const [reused] = await database.run(count, falseCount)
        const [pageRow] = await database.run(page, { ...falseCount, base: '', limit: 1, offset: 0 })
        const [outdated] = await database.run(count, { ...falseCount, cached_version: `${version}0` })
        const [[, versionNow] = []] = await database.run(count, { cached_version: null, cached_count: 0 })
        if (version !== versionNow && attempt < 1000) continue
        assert.deepEqual([real, reused![0], pageRow![1], outdated![0]], [1, 4711, 4711, 1])
        await other.transaction(({ kysely }) => kysely.insertInto('books').values(bookRow).execute())
        await setImmediate()
        const [[changed] = []] = await database.run(count, { cached_version: version!, cached_count: 4711 })
        assert.equal(changed, 2)
        return
      }
    })
  },
)
