// Limit and offset pagination (LIM-PAG-r2), and links in the Link header (LIM-PAG-p2).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { key, limitOffset, linkHeader, readOnly, resource, text } from 'resource-api'
import type { Paginator } from 'resource-api/extend'
import { onEachDatabase } from '../support/own-api.ts'

const names = Array.from({ length: 25 }, (_, index) => `a${String(index + 1).padStart(2, '0')}`)

const list = (name: string, pagination: Paginator, table = 'authors') =>
  resource(name, { table, ordering: ['name'], fields: { id: readOnly(key()), name: text() }, pagination })

const base = 'http://localhost'

onEachDatabase(
  () => ({
    resources: [
      list('plain', limitOffset({ defaultLimit: 10 })),
      list('unset', limitOffset()),
      list('bounded', limitOffset({ defaultLimit: 10, maxLimit: 12 })),
      list('renamed', limitOffset({ defaultLimit: 10, limitQueryParam: 'size', offsetQueryParam: 'from' })),
      list('empty', limitOffset({ defaultLimit: 10 }), 'tags'),
      list('linked', linkHeader({ pageSize: 10 })),
      list('alone', linkHeader({ pageSize: 10 }), 'tags'),
    ],
  }),
  api => {
    before(async () => {
      await api().insert(
        'authors',
        names.map(name => ({ name })),
      )
    })

    const formatRange = (results: readonly { name: string }[]) =>
      results.length === 0 ? '' : `${Number(results[0]!.name.slice(1))}-${Number(results.at(-1)!.name.slice(1))}`

    const readPage = async (path: string) => {
      const { count, next, previous, results } = (await api().client.get(path)).json()
      const short = (link: string | null) => link?.replace(`${base}/`, '') ?? null
      return [count, short(previous), short(next), formatRange(results)]
    }

    test('LIM-PAG-r2, SVC-4: next and previous move the offset by the limit', async () => {
      assert.deepEqual(await readPage('/plain/'), [25, null, 'plain/?limit=10&offset=10', '1-10'])
      assert.deepEqual(await readPage('/plain/?limit=10&offset=10'), [
        25,
        'plain/?limit=10',
        'plain/?limit=10&offset=20',
        '11-20',
      ])
      assert.deepEqual(await readPage('/plain/?offset=20'), [25, 'plain/?offset=10&limit=10', null, '21-25'])
      assert.deepEqual(await readPage('/plain/?offset=3&limit=5'), [
        25,
        'plain/?limit=5',
        'plain/?offset=8&limit=5',
        '4-8',
      ])
      assert.deepEqual(await readPage('/plain/?limit=25'), [25, null, null, '1-25'])
      assert.deepEqual(await readPage('/plain/?a=1&limit=24'), [25, null, 'plain/?a=1&limit=24&offset=24', '1-24'])
    })

    test('LIM-PAG-r2: following the links visits every item once, forward and backward', async () => {
      for (const [step, start] of [
        ['next', '/plain/?limit=7'],
        ['previous', '/plain/?limit=7&offset=25'],
      ] as const) {
        const visited: string[] = []
        for (let path: string | null = start; path !== null; ) {
          const body: Record<string, never> & { results: { name: string }[] } = (await api().client.get(path)).json()
          visited.push(...body.results.map(({ name }) => name))
          path = body[step] === null ? null : String(body[step]).replace(base, '')
        }
        assert.deepEqual(visited.sort(), names, step)
      }
    })

    test('LIM-PAG-r2: without a default limit, a list is paginated only if the request has a limit', async () => {
      const unpaginated = (await api().client.get('/unset/')).json()
      assert.deepEqual([unpaginated.length, formatRange(unpaginated)], [25, '1-25'])
      assert.equal((await api().client.get('/unset/?offset=5')).json().length, 25)
      assert.deepEqual(await readPage('/unset/?limit=2'), [25, null, 'unset/?limit=2&offset=2', '1-2'])
    })

    test('LIM-PAG-r2: a limit above the maximum becomes the maximum, in the links too', async () => {
      for (const limit of ['12', '13', '9007199254740993', '9'.repeat(40)]) {
        assert.deepEqual(await readPage(`/bounded/?limit=${limit}`), [25, null, 'bounded/?limit=12&offset=12', '1-12'])
      }
    })

    test('LIM-PAG-r2: the parameter names are options', async () => {
      assert.deepEqual(await readPage('/renamed/?size=5&from=5&limit=1'), [
        25,
        'renamed/?size=5&limit=1',
        'renamed/?size=5&from=10&limit=1',
        '6-10',
      ])
    })

    test('LIM-PAG-r2, LIM-GAP-b1: an invalid limit or offset is ignored', async () => {
      const first = await readPage('/plain/')
      for (const value of ['0', '-1', 'abc', '1e3', '1.5', '', '%00', '٣', '+5']) {
        const [count, previous, next, items] = await readPage(`/plain/?limit=${value}`)
        assert.deepEqual([count, previous, next, items], first, value)
      }
      for (const value of ['-1', 'abc', '1e3', '%00', '']) {
        const [count, previous, , items] = await readPage(`/plain/?offset=${value}`)
        assert.deepEqual([count, previous, items], [25, null, '1-10'], value)
      }
    })

    test('LIM-PAG-r2, LIM-GAP-b1: an offset past the end is an empty page, and its previous link leads to the last page', async () => {
      for (const offset of ['25', '30', '2147483648', '9007199254740993', '9'.repeat(40)]) {
        assert.deepEqual(await readPage(`/plain/?offset=${offset}`), [25, 'plain/?offset=20&limit=10', null, ''])
      }
      assert.deepEqual(await readPage('/empty/'), [0, null, null, ''])
      assert.deepEqual(await readPage('/empty/?offset=5'), [0, 'empty/?limit=10', null, ''])
    })

    test('LIM-PAG-p2: linkHeader responds with a bare array', async () => {
      const readLinked = async (path: string) => {
        const response = await api().client.get(path)
        return [response.status, formatRange(response.json()), response.headers.link?.replaceAll(`${base}/linked/`, '')]
      }
      const first = '<>; rel="first"'
      const last = '<?page=3>; rel="last"'
      assert.deepEqual(await readLinked('/linked/'), [200, '1-10', `${first}, <?page=2>; rel="next", ${last}`])
      assert.deepEqual(await readLinked('/linked/?page=2'), [
        200,
        '11-20',
        `${first}, <>; rel="prev", <?page=3>; rel="next", ${last}`,
      ])
      assert.deepEqual(await readLinked('/linked/?page=last'), [
        200,
        '21-25',
        `${first}, <?page=2>; rel="prev", ${last}`,
      ])
      const empty = await api().client.get('/alone/')
      assert.deepEqual(
        [empty.text, empty.headers.link],
        ['[]', `<${base}/alone/>; rel="first", <${base}/alone/>; rel="last"`],
      )
      assert.equal((await api().client.get('/linked/?page=4')).status, 404)
    })
  },
)

test('LIM-PAG-r2: an invalid limit option fails at start', () => {
  for (const size of [0, -1, 1.5]) {
    assert.throws(() => limitOffset({ defaultLimit: size }), /defaultLimit must be a whole number from 1/)
    assert.throws(() => limitOffset({ maxLimit: size }), /maxLimit must be a whole number from 1/)
  }
})
