// Relations as URLs and as primary keys, to one object and to many (ERR-GAP-b1, ERR-EXC-r2).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { authors, books, tags } from '../support/library.ts'
import { fullDetailsHandler, onEachDatabase } from '../support/own-api.ts'

const noMatchError = { message: 'Invalid hyperlink - No URL match.', code: 'no_match' }
const incorrectMatchError = { message: 'Invalid hyperlink - Incorrect URL match.', code: 'incorrect_match' }
const missingObjectError = { message: 'Invalid hyperlink - Object does not exist.', code: 'does_not_exist' }
const notUrlError = (type: string) => ({
  message: `Incorrect type. Expected URL string, received ${type}.`,
  code: 'incorrect_type',
})
const notKeyError = (type: string) => ({
  message: `Incorrect type. Expected pk value, received ${type}.`,
  code: 'incorrect_type',
})
const missingKeyError = (key: unknown) => ({
  message: `Invalid pk "${key}" - object does not exist.`,
  code: 'does_not_exist',
})
const notListError = (type: string) => ({
  message: `Expected a list of items but got type "${type}".`,
  code: 'not_a_list',
})

const origin = 'http://localhost'

onEachDatabase(
  () => ({ resources: [books, authors, tags], exceptionHandler: fullDetailsHandler }),
  api => {
    let url: string
    let jane: number
    let emily: number
    let tagKeys: readonly number[]

    before(async () => {
      const { client, insert } = api()
      ;[jane, emily] = (await insert('authors', [{ name: 'Jane' }, { name: 'Emily' }])) as [number, number]
      tagKeys = await insert('tags', [{ name: 'a' }, { name: 'b' }, { name: 'c' }])
      url = `/books/${(await client.post('/books/', { json: { title: 'Emma', pages: 474 } })).json().id}/`
    })

    const patch = async (json: object) => {
      const response = await api().client.patch(url, { json })
      return [response.status, response.json()] as const
    }
    const checkRefused = async (name: string, input: unknown, error: object) =>
      assert.deepEqual(await patch({ [name]: input }), [400, { [name]: [error] }], JSON.stringify(input))
    const author = (key: unknown) => `${origin}/authors/${key}/`

    test('a hyperlinked relation accepts a URL or a path, and shows a URL', async () => {
      for (const input of [author(jane), `/authors/${jane}/`, `HTTP://LOCALHOST:80/authors/${jane}/`]) {
        assert.equal((await patch({ author: null }))[1].author, null)
        const [status, book] = await patch({ author: input })
        assert.deepEqual([status, book.author], [200, author(jane)], input)
      }
      assert.equal((await api().client.get(url)).json().author, author(jane))
    })

    test('a primary key relation accepts a number or its digits, and shows a number', async () => {
      for (const input of [emily, String(emily)]) {
        assert.equal((await patch({ translator: null }))[1].translator, null)
        const [status, book] = await patch({ translator: input })
        assert.deepEqual([status, book.translator], [200, emily])
      }
    })

    test('ERR-GAP-b1: URLs outside the API do not match', async () => {
      for (const path of [
        '',
        '/',
        '/authors',
        `/authors/${jane}`,
        `/authors/${jane}/x/`,
        `/authors/${jane}//`,
        '/x/1/',
      ])
        await checkRefused('author', `${origin}${path}`, noMatchError)
      for (const host of [
        'http://evil.example',
        'https://localhost',
        'http://localhost:81',
        'http://localhost.evil.example',
      ])
        await checkRefused('author', `${host}/authors/${jane}/`, noMatchError)
      for (const text of [
        `//localhost/authors/${jane}/`,
        `authors/${jane}/`,
        String(jane),
        'x',
        '',
        'javascript:1',
        'http://',
      ])
        await checkRefused('author', text, noMatchError)
      for (const key of ['0', '-1', '01', '1e0', '9007199254740993', 'x', '%31', "1'"])
        await checkRefused('author', author(key), noMatchError)
    })

    test('ERR-GAP-b1: URLs of other resources or missing objects, and other types than text', async () => {
      await checkRefused('author', `${origin}/authors/`, incorrectMatchError)
      await checkRefused('author', `${origin}/tags/${tagKeys[0]}/`, incorrectMatchError)
      await checkRefused('author', author(999_999), missingObjectError)
      await checkRefused('author', author(Number.MAX_SAFE_INTEGER), missingObjectError)
      for (const [input, type] of [
        [1, 'int'],
        [1.5, 'float'],
        [true, 'bool'],
        [[], 'list'],
        [{}, 'dict'],
      ] as const)
        await checkRefused('author', input, notUrlError(type))
    })

    test('ERR-GAP-b1: primary keys of missing objects, and invalid primary keys', async () => {
      for (const key of [0, -1, 999_999, 2 ** 53, 2 ** 63, '999999', '9'.repeat(30), 1.5])
        await checkRefused('translator', key, missingKeyError(key))
      for (const [input, type] of [
        ['x', 'str'],
        ['', 'str'],
        [' 1', 'str'],
        ['1e0', 'str'],
        [true, 'bool'],
        [[1], 'list'],
        [{}, 'dict'],
      ] as const)
        await checkRefused('translator', input, notKeyError(type))
    })

    test('a relation to many accepts a list, and shows it in the order of primary keys', async () => {
      const [a, b, c] = tagKeys as [number, number, number]
      for (const [input, shown] of [
        [
          [c, a],
          [a, c],
        ],
        [[b, b, String(b)], [b]],
        [[], []],
        [
          [a, b, c],
          [a, b, c],
        ],
      ]) {
        const [status, book] = await patch({ tags: input })
        assert.deepEqual([status, book.tags], [200, shown])
        assert.deepEqual((await api().client.get(url)).json().tags, shown)
      }
      const [, { editors }] = await patch({ editors: [author(emily), `/authors/${jane}/`, author(emily)] })
      assert.deepEqual(editors, [author(jane), author(emily)])
    })

    test('ERR-GAP-b1: other types than lists, and lists with an invalid item, change nothing', async () => {
      const bookBefore = (await patch({ tags: [tagKeys[0]], editors: [author(jane)] }))[1]
      for (const [input, type] of [
        ['x', 'str'],
        [1, 'int'],
        [{}, 'dict'],
        [true, 'bool'],
      ] as const) {
        await checkRefused('tags', input, notListError(type))
        await checkRefused('editors', input, notListError(type))
      }
      await checkRefused('tags', [tagKeys[1], 999_999], missingKeyError(999_999))
      await checkRefused('tags', [null], notKeyError('NoneType'))
      await checkRefused('tags', [[tagKeys[1]]], notKeyError('list'))
      await checkRefused('editors', [author(jane), author(999_999)], missingObjectError)
      await checkRefused('editors', [author(jane), null], notUrlError('NoneType'))
      await checkRefused('editors', [`${origin}/tags/${tagKeys[0]}/`], incorrectMatchError)
      await checkRefused('tags', null, { message: 'This field may not be null.', code: 'null' })
      assert.deepEqual((await api().client.get(url)).json(), bookBefore)
    })

    test('deleting a member removes it from relations to many; an object in a relation to one cannot be deleted', async () => {
      const { client, insert, rows } = api()
      const [tag, writer] = [
        (await insert('tags', [{ name: 'x' }]))[0],
        (await insert('authors', [{ name: 'Anne' }]))[0],
      ]
      await patch({ tags: [tag], author: author(writer) })
      assert.equal((await client.delete(`/tags/${tag}/`)).status, 204)
      assert.deepEqual((await client.get(url)).json().tags, [])
      const rowsBefore = await rows('authors')
      const response = await client.delete(`/authors/${writer}/`)
      assert.equal(response.status, 409)
      assert.deepEqual(await rows('authors'), rowsBefore)
    })
  },
)
