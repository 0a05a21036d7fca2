// The input values that each field type accepts, and their representations.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { authors, books, tags } from '../support/library.ts'
import { type LibraryApi, onEachDatabase } from '../support/own-api.ts'

const accepted: Record<string, readonly (readonly [input: unknown, representation: unknown])[]> = {
  title: [
    [' a ', 'a'],
    [7, '7'],
    [1.5, '1.5'],
    ['a'.repeat(100), 'a'.repeat(100)],
    ['\u{1f600}'.repeat(100), '\u{1f600}'.repeat(100)],
    [` ${'a'.repeat(100)} `, 'a'.repeat(100)],
  ],
  subtitle: [
    ['', ''],
    [' ', ''],
  ],
  summary: [
    [' a\r\n\tb ', ' a\r\n\tb '],
    ['', ''],
    [null, null],
    ['\u0001\u007f\u2028\ufeff\ufffd', '\u0001\u007f\u2028\ufeff\ufffd'],
  ],
  pages: [
    [1, 1],
    [5000, 5000],
    ['42', 42],
    [' 42 ', 42],
    ['+42', 42],
    ['42.0', 42],
    ['42.', 42],
    [42.0, 42],
    ['0042', 42],
  ],
  isbn: [
    ['1234567890', '1234567890'],
    ['1234567890123', '1234567890123'],
    [null, null],
  ],
  in_print: [
    ...[true, 1, '1', 'true', 'True', 'on', 'yes', 't', ' TRUE '].map(input => [input, true] as const),
    ...[false, 0, '0', 'false', 'off', 'no', 'f', -0].map(input => [input, false] as const),
  ],
  genre: [
    ['poetry', 'poetry'],
    ['__proto__', '__proto__'],
  ],
  contact: [
    ['', ''],
    ['a@b.c', 'a@b.c'],
    [' a+b@sub.example.org ', 'a+b@sub.example.org'],
    ["o'n_e@x-y.z", "o'n_e@x-y.z"],
    ['a@bücher.example', 'a@bücher.example'],
  ],
  published: [
    ['2024-02-29T12:30', '2024-02-29T12:30:00.000000Z'],
    ['2024-02-29 12:30:15', '2024-02-29T12:30:15.000000Z'],
    ['2024-02-29t12:30:15.5z', '2024-02-29T12:30:15.500000Z'],
    ['2024-02-29T12:30:15.123456789Z', '2024-02-29T12:30:15.123456Z'],
    ['2024-03-01T00:30:00+01:00', '2024-02-29T23:30:00.000000Z'],
    ['2024-02-29T23:30:00-0100', '2024-03-01T00:30:00.000000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
    ['0099-12-31T00:00:00Z', '0099-12-31T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    [null, null],
  ],
}

onEachDatabase(
  () => ({ resources: [books, authors, tags] }),
  api => {
    let url: string
    let library: LibraryApi

    before(async () => {
      library = api()
      const created = await library.client.post('/books/', { json: { title: 'Emma', pages: 474 } })
      url = `/books/${created.json().id}/`
    })

    for (const [name, cases] of Object.entries(accepted)) {
      test(`${name} shows each accepted value in the same form in the response and later`, async () => {
        for (const [input, representation] of cases) {
          const response = await library.client.patch(url, { json: { [name]: input } })
          assert.deepEqual([response.status, response.json()[name]], [200, representation], JSON.stringify(input))
          assert.deepEqual((await library.client.get(url)).json()[name], representation)
        }
      })
    }
  },
)
