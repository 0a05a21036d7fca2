// Every accepted text is returned character for character, although each database writes JSON differently.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import fc from 'fast-check'
import { key, resource, text } from 'resource-api'
import { anyCharacter } from '../support/any-text.ts'
import { onEachDatabase } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const notes = resource('notes', {
  table: 'books',
  fields: {
    id: key(),
    title: text({ trim: false, blank: true }),
    'it\'s a "name" \\ é': text({ column: 'summary', trim: false, blank: true, nullable: true }),
  },
  hookColumns: ['subtitle', 'genre', 'contact', 'in_print', 'pages'],
  prepare: () => ({ subtitle: '', genre: '', contact: '', in_print: true, pages: 1 }),
})

const quotedTexts = ["'", '"', '\\', '\\\\"', "''; drop table books; --", '\\u0000', '\\u0041', '\\x', '</script><!--']
const specialTexts = `$1 :id ? %s {} [] null \ufffd \ufffe\uffff \u{1f600}\u{10ffff} e\u0301 \u202e \u2028\u2029`.split(
  ' ',
)
const whitespaceTexts = ['', ' a ', '\r\n', '\u00a0', '\ufeff', '\b\f\n\r\t\v', '\u0001\u001f\u007f\u0080\u009f']
const longTexts = ['a'.repeat(100_000), '\\'.repeat(1000)]

// Without NUL and lone surrogates, which are refused.
const character = fc.oneof(
  fc.constantFrom(...'\'"\\/$:?%{}[]<>&\b\f\n\r\t\u001f\u007f\u2028\ufeff'),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }),
)
const anyText = fc
  .string({ unit: character, maxLength: 40 })
  .filter(value => !value.includes('\0') && value.isWellFormed())

onEachDatabase(
  () => ({ resources: [notes] }),
  api => {
    let url: string
    const specialField = Object.keys(notes.fields)[2]!

    before(async () => {
      url = new URL((await api().client.post('/notes/', { json: { title: '' } })).headers.location!).pathname
    })

    const roundTrip = async (value: string) => {
      const { client } = api()
      const written = await client.patch(url, { json: { title: value, [specialField]: value } })
      const [read, indented, listed] = await Promise.all([
        client.get(url),
        client.get(url, { headers: { accept: 'application/json; indent=2' } }),
        client.get('/notes/', { headers: { accept: 'application/json; indent=1' } }),
      ])
      for (const body of [written.json(), read.json(), indented.json(), listed.json()[0]])
        assert.deepEqual([body.title, body[specialField]], [value, value])
      assert.equal(indented.text, JSON.stringify(read.json(), null, 2))
      assert.equal((await api().rows('books'))[0]?.title, value)
    }

    test('text with special characters of SQL, JSON and HTML is returned unchanged', async () => {
      for (const value of [...quotedTexts, ...specialTexts, ...whitespaceTexts, ...longTexts]) await roundTrip(value)
    })

    test('any text is returned unchanged', async () => {
      await fc.assert(fc.asyncProperty(anyText, roundTrip), { numRuns: randomCases(150) })
    })

    test('any text in a JSON or form body is stored unchanged', async () => {
      const { client } = api()
      await fc.assert(
        fc.asyncProperty(anyText, async value => {
          for (const options of [{ json: { title: value } }, { form: { title: value } }]) {
            const response = await client.post('/notes/', options)
            assert.deepEqual([response.status, response.json().title], [201, value])
          }
        }),
        { numRuns: randomCases(50) },
      )
    })

    test('NUL and lone surrogates are refused, in JSON and in forms', async () => {
      const { client } = api()
      for (const [body, message] of [
        ['{"title":"a\\u0000b"}', 'Null characters are not allowed.'],
        ['{"title":"a\\ud800b"}', 'Not a valid string.'],
        ['{"title":"\\udc00\\ud800"}', 'Not a valid string.'],
      ] as const) {
        const response = await client.post('/notes/', { body, headers: { 'content-type': 'application/json' } })
        assert.deepEqual([response.status, response.json()], [400, { title: [message] }])
      }
      const form = await client.post('/notes/', { form: { title: 'a\0b' } })
      assert.deepEqual([form.status, form.json()], [400, { title: ['Null characters are not allowed.'] }])
    })
  },
)
