// Pagination by page number (LIM-PAG-p1, LIM-PAG-r1, LIM-GAP-b1), and the format of paginated lists (END-LIST).

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { key, pageNumber, readOnly, resource, text } from 'resource-api'
import type { PageNumberOptions } from '../../src/core/pagination/page-number.ts'
import { onEachDatabase } from '../support/own-api.ts'

const names = Array.from({ length: 25 }, (_, index) => `a${String(index + 1).padStart(2, '0')}`)

const list = (name: string, pagination?: PageNumberOptions | null) =>
  resource(name, {
    table: 'authors',
    ordering: ['name'],
    actions: ['list', 'create'],
    fields: { id: readOnly(key()), name: text() },
    ...(pagination !== undefined && { pagination: pagination && pageNumber(pagination) }),
  })

const emptyList = (name: string) =>
  resource(name, { table: 'tags', fields: { id: key(), name: text() }, pagination: pageNumber({ pageSize: 5 }) })

const base = 'http://localhost'

onEachDatabase(
  () => ({
    pagination: pageNumber(),
    pageSize: 10,
    resources: [
      list('plain'),
      list('whole', null),
      list('small', { pageSize: 3 }),
      list('sized', { pageSizeQueryParam: 'size', maxPageSize: 20 }),
      list('unbounded', { pageSizeQueryParam: 'size' }),
      list('renamed', { pageQueryParam: 'p', lastPageStrings: ['end', 'fin'] }),
      list('endless', { lastPageStrings: [] }),
      list('exact', { pageSize: 25 }),
      emptyList('empty'),
    ],
  }),
  api => {
    before(async () => {
      await api().insert(
        'authors',
        names.map(name => ({ name })),
      )
    })

    /** The count, the links without their origin, and the range of the items' numbers. */
    const page = async (path: string) => {
      const response = await api().client.get(path)
      if (response.status !== 200) return [response.status, response.json()]
      const { count, next, previous, results } = response.json()
      assert.deepEqual(Object.keys(response.json()), ['count', 'next', 'previous', 'results'])
      const items = results.map(({ name }: { name: string }) => Number(name.slice(1)))
      const toPath = (link: string | null) => link?.replace(`${base}/`, '') ?? null
      return [count, toPath(previous), toPath(next), items.length === 0 ? '' : `${items[0]}-${items.at(-1)}`]
    }
    const invalid = [404, { detail: 'Invalid page.' }]

    test('END-LIST-r1, END-LIST-r2, END-LIST-r3, END-LIST-r4, LIM-PAG-r1, SVC-4: pages have a count, links and items', async () => {
      assert.deepEqual(await page('/plain/'), [25, null, 'plain/?page=2', '1-10'])
      assert.deepEqual(await page('/plain/?page=1'), [25, null, 'plain/?page=2', '1-10'])
      assert.deepEqual(await page('/plain/?page=2'), [25, 'plain/', 'plain/?page=3', '11-20'])
      assert.deepEqual(await page('/plain/?page=3'), [25, 'plain/?page=2', null, '21-25'])
      const { results } = (await api().client.get('/plain/?page=3')).json()
      assert.deepEqual(Object.keys(results[0]), ['id', 'name'])
    })

    test('END-LIST-r2, END-LIST-r3: following the links visits every item once, forward and backward', async () => {
      for (const [step, start] of [
        ['next', '/small/'],
        ['previous', '/small/?page=last'],
      ] as const) {
        const visited: string[] = []
        for (let url: string | null = start; url !== null; ) {
          const page = (await api().client.get(url.replace(base, ''))).json()
          const items = page.results.map(({ name }: { name: string }) => name)
          visited[step === 'next' ? 'push' : 'unshift'](...items)
          url = page[step]
        }
        assert.deepEqual(visited, names)
      }
    })

    test('LIM-PAG-r1: the last page has a name, which lastPageStrings changes or disables', async () => {
      assert.deepEqual(await page('/plain/?page=last'), [25, 'plain/?page=2', null, '21-25'])
      assert.deepEqual(await page('/exact/?page=last'), [25, null, null, '1-25'])
      for (const name of ['end', 'fin'])
        assert.deepEqual(await page(`/renamed/?p=${name}`), [25, 'renamed/?p=2', null, '21-25'])
      assert.deepEqual(await page('/renamed/?p=last'), invalid)
      assert.deepEqual(await page('/endless/?page=last'), invalid)
    })

    test('LIM-PAG-r1: page_query_param renames the parameter, and the default name has no effect then', async () => {
      assert.deepEqual(await page('/renamed/?p=2'), [25, 'renamed/', 'renamed/?p=3', '11-20'])
      assert.deepEqual(await page('/renamed/?page=2'), [25, null, 'renamed/?page=2&p=2', '1-10'])
    })

    test('LIM-PAG-r1: a view uses its own page size, or the global one', async () => {
      assert.deepEqual(await page('/small/'), [25, null, 'small/?page=2', '1-3'])
      assert.deepEqual(await page('/small/?page=9'), [25, 'small/?page=8', null, '25-25'])
      assert.deepEqual(await page('/exact/'), [25, null, null, '1-25'])
    })

    test('LIM-PAG-r1: without page_size_query_param the client cannot set the size', async () => {
      for (const name of ['page_size', 'size', 'limit'])
        assert.deepEqual(await page(`/plain/?${name}=2`), [25, null, `plain/?${name}=2&page=2`, '1-10'])
    })

    test('LIM-PAG-r1: the client sets the page size, and invalid sizes are ignored', async () => {
      assert.deepEqual(await page('/sized/?size=2'), [25, null, 'sized/?size=2&page=2', '1-2'])
      assert.deepEqual(await page('/sized/?size=2&page=13'), [25, 'sized/?size=2&page=12', null, '25-25'])
      assert.deepEqual(await page('/sized/?size=20'), [25, null, 'sized/?size=20&page=2', '1-20'])
      assert.deepEqual(await page('/unbounded/?size=25'), [25, null, null, '1-25'])
      for (const size of ['0', '-1', 'x', '', '1.5', '1e1', '+2', '٢'])
        assert.deepEqual((await page(`/sized/?size=${encodeURIComponent(size)}`)).at(-1), '1-10', size)
    })

    test('LIM-PAG-r1: a page size above the maximum becomes the maximum, also in links', async () => {
      for (const size of ['21', '9007199254740991', '9007199254740993', '1'.repeat(30)]) {
        assert.deepEqual(await page(`/sized/?size=${size}`), [25, null, 'sized/?size=20&page=2', '1-20'], size)
        assert.deepEqual(await page(`/sized/?size=${size}&page=2`), [25, 'sized/?size=20', null, '21-25'], size)
        assert.deepEqual(await page(`/unbounded/?size=9${size}`), [25, null, null, '1-25'], size)
        assert.deepEqual(await page(`/unbounded/?size=9${size}&page=2`), invalid, size)
      }
    })

    test('LIM-PAG-r1, LIM-GAP-b1: a page that does not exist or is not a number is 404', async () => {
      const malformed = [
        '0',
        '-1',
        '4',
        '5',
        'abc',
        '',
        ' 1',
        '1 ',
        '1.0',
        '1e3',
        '0x1',
        '+1',
        '٣',
        'Last',
        'last ',
        'null',
      ]
      const large = ['2147483648', '9007199254740991', '9007199254740993', '9223372036854775808', '1'.repeat(31)]
      for (const number of [...malformed, ...large])
        assert.deepEqual(await page(`/plain/?page=${encodeURIComponent(number)}`), invalid, number)
    })

    test('LIM-PAG-r1: page 1 of an empty list exists, and is the last page', async () => {
      for (const path of ['/empty/', '/empty/?page=1', '/empty/?page=last'])
        assert.deepEqual(await page(path), [0, null, null, ''])
      assert.deepEqual(await page('/empty/?page=2'), invalid)
    })

    test('END-LIST-r2, END-LIST-r3: links keep the other query parameters', async () => {
      assert.deepEqual(await page('/plain/?a=1&page=2&b=%26+%C3%A9&a=2'), [
        25,
        'plain/?a=1&b=%26+%C3%A9&a=2',
        'plain/?a=1&page=3&b=%26+%C3%A9&a=2',
        '11-20',
      ])
      assert.deepEqual(await page('/plain/?format=json&page=2'), [
        25,
        'plain/?format=json',
        'plain/?format=json&page=3',
        '11-20',
      ])
      assert.deepEqual(await page('/plain/?page=2&page=3'), [25, 'plain/', 'plain/?page=3', '11-20'])
    })

    test('LIM-PAG-p1: pagination can be disabled for one view, and its parameters have no effect then', async () => {
      for (const path of ['/whole/', '/whole/?page=2', '/whole/?page=x&size=1']) {
        const response = await api().client.get(path)
        assert.deepEqual(
          response.json().map(({ name }: { name: string }) => name),
          names,
        )
      }
    })

    test('END-LIST-r1: HEAD of a page has the headers of GET; a create is not paginated', async () => {
      const [get, head] = await Promise.all([
        api().client.get('/plain/'),
        api().client.request('HEAD', '/plain/?page=1'),
      ])
      assert.deepEqual(
        [head.status, head.text, head.headers['content-length']],
        [200, '', get.headers['content-length']],
      )
      const created = await api().client.post('/plain/?page=99', { json: { name: 'b' } })
      assert.deepEqual([created.status, created.json().name], [201, 'b'])
      assert.equal((await page('/plain/'))[0], 26)
    })
  },
)

suite('without a paginator or a page size', () => {
  for (const [configured, options] of [
    ['neither', {}],
    ['only a paginator', { pagination: pageNumber() }],
    ['only a page size', { pageSize: 10 }],
  ] as const) {
    onEachDatabase(
      () => ({ ...options, resources: [list('plain')] }),
      api => {
        test(`LIM-PAG-p1: with ${configured} a list is not paginated`, async () => {
          await api().insert(
            'authors',
            names.map(name => ({ name })),
          )
          const items = (await api().client.get('/plain/?page=2')).json()
          assert.deepEqual(
            items.map(({ name }: { name: string }) => name),
            names,
          )
        })
      },
    )
  }
})
