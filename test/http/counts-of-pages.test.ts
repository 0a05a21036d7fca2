// Lists that count no rows or at most a number of them, and lists with a largest offset (LIM-PAG-r1, LIM-PAG-r2).

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { key, limitOffset, linkHeader, pageNumber, readOnly, resource, text } from 'resource-api'
import type { Paginator } from 'resource-api/extend'
import type { LimitOffsetOptions } from '../../src/core/pagination/limit-offset.ts'
import { onEachDatabase } from '../support/own-api.ts'

const names = Array.from({ length: 25 }, (_, index) => `a${String(index + 1).padStart(2, '0')}`)

const list = (name: string, pagination: Paginator, table = 'authors') =>
  resource(name, {
    table,
    ordering: ['name'],
    actions: ['list'],
    fields: { id: readOnly(key()), name: text() },
    filters: { id: ['gte'], name: ['in'] },
    pagination,
  })

const base = 'http://localhost/'
const statements: string[] = []
const selects = () => statements.filter(statement => statement.startsWith('select'))

onEachDatabase(
  () => ({
    pageSize: 10,
    resources: [
      list('uncounted', pageNumber({ count: 'none', pageSizeQueryParam: 'size' })),
      list('bounded', pageNumber({ count: { atMost: 15 } })),
      list('just-counted', pageNumber({ count: { atMost: 25 } })),
      list('empty-uncounted', pageNumber({ count: 'none' }), 'tags'),
      list('empty-bounded', pageNumber({ count: { atMost: 1 } }), 'tags'),
      list('uncounted-slices', limitOffset({ count: 'none' })),
      list('bounded-slices', limitOffset({ count: { atMost: 15 } })),
      list('uncounted-links', linkHeader({ count: 'none' })),
      list('bounded-links', linkHeader({ count: { atMost: 15 } })),
      list('shallow', pageNumber({ maxOffset: 10, pageSizeQueryParam: 'size' })),
      list('shallow-links', linkHeader({ maxOffset: 10 })),
      list('shallow-bounded', pageNumber({ maxOffset: 10, count: { atMost: 24 } })),
      list('shallow-slices', limitOffset({ maxOffset: 10 })),
    ],
  }),
  api => {
    before(async () => {
      await api().insert(
        'authors',
        names.map(name => ({ name })),
      )
    })

    const get = async (path: string) => {
      const { status, json } = await api().client.get(path)
      const { results, ...envelope } = json()
      for (const name of ['next', 'previous']) envelope[name] = envelope[name]?.replace(base, '') ?? null
      const items = results.map(({ name }: { name: string }) => Number(name.slice(1)))
      assert.equal(status, 200)
      return [envelope, items.length === 0 ? '' : `${items[0]}-${items.at(-1)}`]
    }
    const refuse = async (path: string) => {
      const { status, json } = await api().client.get(path)
      return [status, json()]
    }
    const invalid = [404, { detail: 'Invalid page.' }]
    const tooFar =
      'Too far into the list: at most 10 rows may come before a page. Narrow the list with filters, or read it with cursor pagination.'

    test('a list that is not counted has no count and no last page', async () => {
      assert.deepEqual(await get('/uncounted/'), [{ next: 'uncounted/?page=2', previous: null }, '1-10'])
      assert.deepEqual(await get('/uncounted/?page=3'), [{ next: null, previous: 'uncounted/?page=2' }, '21-25'])
      assert.deepEqual(await get('/uncounted/?size=25'), [{ next: null, previous: null }, '1-25'])
      assert.deepEqual(await get('/uncounted/?size=9007199254740991'), [{ next: null, previous: null }, '1-25'])
      assert.deepEqual(await get('/empty-uncounted/'), [{ next: null, previous: null }, ''])
      for (const path of ['/uncounted/?page=4', '/uncounted/?page=last', '/empty-uncounted/?page=2'])
        assert.deepEqual(await refuse(path), invalid, path)
    })

    test('a list that counts at most a number of rows says whether its count is exact', async () => {
      const inexact = { count: 15, count_is_exact: false }
      assert.deepEqual(await get('/bounded/'), [{ ...inexact, next: 'bounded/?page=2', previous: null }, '1-10'])
      assert.deepEqual(await get('/bounded/?page=2'), [
        { ...inexact, next: 'bounded/?page=3', previous: 'bounded/' },
        '11-20',
      ])
      assert.deepEqual(await get('/bounded/?page=3'), [
        { ...inexact, next: null, previous: 'bounded/?page=2' },
        '21-25',
      ])
      for (const path of ['/bounded/?page=4', '/bounded/?page=last'])
        assert.deepEqual(await refuse(path), invalid, path)
      const exact = { count: 25, count_is_exact: true }
      for (const page of ['3', 'last'])
        assert.deepEqual(await get(`/just-counted/?page=${page}`), [
          { ...exact, next: null, previous: 'just-counted/?page=2' },
          '21-25',
        ])
      assert.deepEqual(await get('/empty-bounded/?page=last'), [
        { count: 0, count_is_exact: true, next: null, previous: null },
        '',
      ])
      assert.deepEqual(await refuse('/empty-bounded/?page=2'), invalid)
    })

    test('the count belongs to the filtered rows', async () => {
      const filtered = 'name__in=a01,a02,a03'
      assert.deepEqual(await get(`/bounded/?${filtered}`), [
        { count: 3, count_is_exact: true, next: null, previous: null },
        '1-3',
      ])
      assert.equal((await get('/bounded/?id__gte=11'))[0].count_is_exact, true)
      assert.equal((await get('/bounded/?id__gte=10'))[0].count_is_exact, false)
    })

    test('slices: next and previous need no count', async () => {
      const next = (path: string) => `${path}/?limit=10&offset=10`
      assert.deepEqual(await get('/uncounted-slices/'), [{ next: next('uncounted-slices'), previous: null }, '1-10'])
      assert.deepEqual(await get('/bounded-slices/'), [
        { count: 15, count_is_exact: false, next: next('bounded-slices'), previous: null },
        '1-10',
      ])
      assert.deepEqual(await get('/bounded-slices/?offset=20&limit=4'), [
        {
          count: 15,
          count_is_exact: false,
          next: 'bounded-slices/?offset=24&limit=4',
          previous: 'bounded-slices/?offset=16&limit=4',
        },
        '21-24',
      ])
      // Beyond the end: the last page is known only if the list was counted to its end.
      assert.deepEqual(await get('/uncounted-slices/?offset=40'), [
        { next: null, previous: 'uncounted-slices/?offset=30&limit=10' },
        '',
      ])
      assert.deepEqual(await get('/bounded-slices/?offset=40&id__gte=15'), [
        { count: 11, count_is_exact: true, next: null, previous: 'bounded-slices/?offset=10&id__gte=15&limit=10' },
        '',
      ])
    })

    test('following next visits every row once', async () => {
      for (const start of [
        '/uncounted/?size=4',
        '/bounded/',
        '/uncounted-slices/?limit=7',
        '/bounded-slices/?limit=6',
      ]) {
        const visited: string[] = []
        for (let path: string | null = start; path !== null && visited.length < 100; ) {
          const body = (await api().client.get(path)).json()
          visited.push(...body.results.map(({ name }: { name: string }) => name))
          path = body.next?.replace(base, '/') ?? null
        }
        assert.deepEqual(visited, names, start)
      }
    })

    test('the Link header names a last page only if it is known', async () => {
      const findRelations = async (path: string) => {
        const { headers } = await api().client.get(path)
        return [...String(headers.link).matchAll(/rel="(\w+)"/g)].map(([, relation]) => relation)
      }
      assert.deepEqual(await findRelations('/uncounted-links/?page=2'), ['first', 'prev', 'next'])
      assert.deepEqual(await findRelations('/uncounted-links/?page=3'), ['first', 'prev'])
      assert.deepEqual(await findRelations('/bounded-links/?page=2'), ['first', 'prev', 'next'])
      assert.deepEqual(await findRelations('/bounded-links/?page=2&id__gte=11'), ['first', 'prev', 'last'])
      // The last page is beyond the largest offset.
      assert.deepEqual(await findRelations('/shallow-links/?page=2'), ['first', 'prev', 'next'])
      assert.deepEqual(await findRelations('/shallow-links/?id__gte=6'), ['first', 'next', 'last'])
    })

    test('a page is one statement, which counts no more rows than needed', async () => {
      for (const [path, count] of [
        ['uncounted', /^(?!.*count\(\*\))/is],
        ['bounded', /count\(\*\) from \(select 1 .* limit 16\)/is],
      ] as const) {
        // A page that was read before is cached on SQLite.
        await api().insert('tags', [{ name: path }])
        statements.length = 0
        await api().client.get(`/${path}/?page=2`)
        assert.equal(selects().length, 1, selects().join('\n'))
        assert.match(selects()[0]!, count)
      }
    })

    test('a last page beyond the largest offset is refused before it is read', async () => {
      for (const path of ['/shallow/?page=last', '/shallow-bounded/?page=last']) {
        statements.length = 0
        await refuse(path)
        assert.deepEqual(
          selects().filter(statement => / offset /i.test(statement)),
          [],
        )
        assert.equal(selects().length, 1)
      }
      assert.equal((await get('/shallow/?page=last&id__gte=6'))[1], '16-25')
      assert.equal((await get('/shallow-bounded/?page=last&id__gte=6'))[1], '16-25')
    })

    test('a page beyond the largest offset is 400, with advice', async () => {
      assert.deepEqual((await get('/shallow/?page=2'))[1], '11-20')
      assert.deepEqual((await get('/shallow-slices/?offset=10'))[1], '11-20')
      for (const path of ['page=3', 'page=4', 'page=last', 'page=2&size=11', 'page=9007199254740'])
        assert.deepEqual(await refuse(`/shallow/?${path}`), [400, { page: [tooFar] }], path)
      for (const offset of ['11', '9'.repeat(40)])
        assert.deepEqual(await refuse(`/shallow-slices/?offset=${offset}`), [400, { offset: [tooFar] }], offset)
      assert.deepEqual(await refuse('/shallow/?page=9007199254740993'), invalid)
      assert.deepEqual(await refuse('/shallow-bounded/?page=last'), invalid)
      assert.deepEqual(await refuse('/shallow-bounded/?page=last&id__gte=2'), [400, { page: [tooFar] }])
      // The link tells that the list goes on; following it gives the advice.
      assert.equal((await get('/shallow/?page=2'))[0].next, 'shallow/?page=3')
    })
  },
  { observe: statement => statements.push(statement) },
)

suite('a wrong option is an error at once', () => {
  for (const [option, message] of [
    [{ count: 'some' }, /^limitOffset\(\): count must be 'exact', 'none' or \{ atMost: n \}/],
    [{ count: { atMost: 0 } }, /count must be/],
    [{ count: null }, /count must be/],
    [{ count: {} }, /count must be/],
    [{ maxOffset: -1 }, /^limitOffset\(\): maxOffset must be a whole number from 0, not -1$/],
    [{ maxOffset: 1.5 }, /maxOffset must be/],
  ] as const)
    test(JSON.stringify(option), () => {
      assert.throws(() => limitOffset(option as LimitOffsetOptions), { message })
    })
})
