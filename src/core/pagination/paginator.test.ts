import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createPageLink, parseCount } from './paginator.ts'

const url = 'http://localhost/things/'
const api = { pageSize: 1, secret: undefined, ordering: undefined }

test('LIM-PAG-r1: a count is plain digits, limited to the largest exact integer', () => {
  fc.assert(fc.property(fc.maxSafeNat(), count => assert.equal(parseCount(String(count)), count)))
  for (const digits of ['9007199254740991', '9007199254740992', '1'.repeat(400)])
    assert.equal(parseCount(digits), Number.MAX_SAFE_INTEGER)
  for (const text of [null, '', ' 1', '1 ', '-1', '+1', '1.0', '1e3', '0x1', '1_0', '٣', 'NaN', 'Infinity'])
    assert.equal(parseCount(text), undefined, String(text))
})

test('END-LIST-r2: a link changes one parameter and preserves all others', () => {
  const pairs = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' })))
  fc.assert(
    fc.property(pairs, fc.option(fc.nat(), { nil: undefined }), (pairsBefore, page) => {
      const otherPairs = pairsBefore.filter(([name]) => name !== 'page')
      const query = new URLSearchParams([...pairsBefore, ['page', '7']])
      const link = new URL(
        createPageLink({ url, query, ...api }, { page: page === undefined ? undefined : String(page) }),
      )
      assert.equal(link.searchParams.get('page'), page === undefined ? null : String(page))
      link.searchParams.delete('page')
      assert.equal(link.searchParams.toString(), new URLSearchParams(otherPairs).toString())
      assert.equal(query.getAll('page').at(-1), '7')
    }),
  )
})

test('END-LIST-r3: a link without parameters is the plain URL', () => {
  assert.equal(createPageLink({ url, query: new URLSearchParams('page=2'), ...api }, { page: undefined }), url)
})
