// The input values that each field type refuses, with message and code (ERR-MSG, ERR-GAP-b1).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { authors, books, tags } from '../support/library.ts'
import { fullDetailsHandler, type LibraryApi, onEachDatabase } from '../support/own-api.ts'

type Refusal = readonly [input: unknown, message: string, code: string]

const nullCharacter = ['Null characters are not allowed.', 'null_characters_not_allowed'] as const
const notText = ['Not a valid string.', 'invalid'] as const
const notInteger = ['A valid integer is required.', 'invalid'] as const
const notBoolean = ['Must be a valid boolean.', 'invalid'] as const
const notNull = ['This field may not be null.', 'null'] as const
const blank = ['This field may not be blank.', 'blank'] as const
const notEmail = ['Enter a valid email address.', 'invalid'] as const
const notDateTime = [
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  'invalid',
] as const
const tooLong = (n: number) => [`Ensure this field has no more than ${n} characters.`, 'max_length'] as const
const tooShort = (n: number) => [`Ensure this field has at least ${n} characters.`, 'min_length'] as const
const tooLarge = (n: number) => [`Ensure this value is less than or equal to ${n}.`, 'max_value'] as const
const tooSmall = (n: number) => [`Ensure this value is greater than or equal to ${n}.`, 'min_value'] as const
const notChoice = (text: string) => [`"${text}" is not a valid choice.`, 'invalid_choice'] as const

const refuseAll = (inputs: readonly unknown[], error: readonly [string, string]): Refusal[] =>
  inputs.map(input => [input, ...error])

const refused: Record<string, readonly Refusal[]> = {
  title: [
    ...refuseAll([true, false, [], ['a'], {}, '\ud800', 'a\udfff', 2 ** 53], notText),
    ...refuseAll(['', ' ', '\r\n\t\u00a0'], blank),
    ...refuseAll(['\0', 'a\0b'], nullCharacter),
    ...refuseAll(['a'.repeat(101), '\u{1f600}'.repeat(101), 'a'.repeat(100_000)], tooLong(100)),
    [null, ...notNull],
  ],
  isbn: [
    ...refuseAll(['123456789', '\u{1f600}'.repeat(9), 1], tooShort(10)),
    ['1'.repeat(14), ...tooLong(13)],
    ['', ...blank],
  ],
  pages: [
    ...refuseAll(
      ['', ' ', 'x', '1e3', '0x10', '1_000', '1.5', '٣', '--1', 'NaN', 1.5, 1e-7, true, false, [], [1], {}],
      notInteger,
    ),
    ...refuseAll([0, -1, '0', '-0', -1e3, '-99999999999999999999'], tooSmall(1)),
    ...refuseAll([5001, '5001', 2 ** 31, 2 ** 53, 1e30, '99999999999999999999'], tooLarge(5000)),
    [null, ...notNull],
  ],
  in_print: [...refuseAll(['', 'maybe', 2, -1, 1.5, '2', [], [true], {}], notBoolean), [null, ...notNull]],
  genre: [
    ['', ...notChoice('')],
    ['Novel', ...notChoice('Novel')],
    [' novel', ...notChoice(' novel')],
    ['constructor', ...notChoice('constructor')],
    [1, ...notChoice('1')],
    [true, ...notChoice('true')],
    [['novel'], ...notChoice('["novel"]')],
    [{ a: 1 }, ...notChoice('{"a":1}')],
    ['x'.repeat(1000), ...notChoice(`${'x'.repeat(200)}…`)],
    [null, ...notNull],
  ],
  contact: [
    ...refuseAll(
      ['x', '@', 'a@', '@b.c', 'a@b', 'a b@c.de', 'a@b c.de', 'a@b..c', 'a@-b.c', 'a@b-.c', '.a@b.c', 'a.@b.c'],
      notEmail,
    ),
    ...refuseAll(
      ['a..b@c.de', 'a@b@c.de', 'a@b.c\nd', '<a@b.c>', 'a@b.c>', `a@${'b'.repeat(64)}.c`, 'é@b.c'],
      notEmail,
    ),
    [`${'a'.repeat(77)}@b.c`, ...tooLong(80)],
    ['a\0@b.c', ...nullCharacter],
    [[], ...notText],
    [null, ...notNull],
  ],
  published: refuseAll(
    [
      ...'x 2024 2024-01-01 2024-02-30T00:00 2023-02-29T00:00 2024-13-01T00:00 2024-00-01T00:00'.split(' '),
      ...'2024-01-01T24:00 2024-01-01T23:60 2024-01-01T23:59:60 2024-01-01T00:00+24:00'.split(' '),
      ...'2024-01-01T00:00+00:60 0000-01-01T00:00 0001-01-01T00:00+00:01 9999-12-31T23:59-00:01'.split(' '),
      ...'+02024-01-01T00:00 2024-01-01T00:00:00. ٢٠٢٤-01-01T00:00'.split(' '),
      ...['', 20_240_101, 0, true, [], {}],
    ],
    notDateTime,
  ),
  summary: [
    ['a\0', ...nullCharacter],
    ['\udc00', ...notText],
    [{}, ...notText],
  ],
}

onEachDatabase(
  () => ({ resources: [books, authors, tags], exceptionHandler: fullDetailsHandler }),
  api => {
    let url: string
    let library: LibraryApi

    before(async () => {
      library = api()
      const created = await library.client.post('/books/', { json: { title: 'Emma', pages: 474 } })
      url = `/books/${created.json().id}/`
    })

    for (const [name, cases] of Object.entries(refused)) {
      test(`ERR-EXC-r2, ERR-BODY-2, ERR-MSG-r5, ERR-MSG-r6, ERR-MSG-p1, ERR-GAP-b1: ${name} refuses invalid values`, async () => {
        const rows = await library.rows('books')
        for (const [input, message, code] of cases) {
          const response = await library.client.patch(url, { json: { [name]: input } })
          assert.deepEqual(
            [response.status, response.json()],
            [400, { [name]: [{ message, code }] }],
            JSON.stringify(input),
          )
        }
        assert.deepEqual(await library.rows('books'), rows)
      })
    }

    test('ERR-MSG-r4, ERR-GAP-b1: a missing required field is refused', async () => {
      const missing = [{ message: 'This field is required.', code: 'required' }]
      for (const options of [{}, { json: {} }, { json: { subtitle: 'x' } }, { form: {} }]) {
        for (const [method, path] of [
          ['POST', '/books/'],
          ['PUT', url],
        ] as const) {
          const response = await library.client.request(method, path, options)
          assert.deepEqual([response.status, response.json()], [400, { title: missing, pages: missing }])
        }
      }
    })

    test('ERR-BODY-2: one response lists every invalid field', async () => {
      const response = await library.client.post('/books/', { json: { pages: 'x', genre: 'x', contact: null } })
      assert.deepEqual(Object.keys(response.json()), ['title', 'pages', 'genre', 'contact'])
    })

    test('ERR-BODY-2, ERR-GAP-b1: a body that is not an object is refused', async () => {
      for (const [json, type] of [
        [[], 'list'],
        [[{}], 'list'],
        ['x', 'str'],
        [1, 'int'],
        [1.5, 'float'],
        [true, 'bool'],
        [null, 'NoneType'],
      ] as const) {
        for (const [method, path] of [
          ['POST', '/books/'],
          ['PUT', url],
          ['PATCH', url],
        ] as const) {
          const response = await library.client.request(method, path, { json })
          const message = `Invalid data. Expected a dictionary, but got ${type}.`
          assert.deepEqual([response.status, response.json()], [400, [{ message, code: 'invalid' }]])
        }
      }
    })
  },
)
