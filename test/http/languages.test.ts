// Errors in the caller's language: Accept-Language chooses among English and the languages of the API (RFC 9110 §12.5.4).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  choice,
  type Database,
  decimal,
  defineMessages,
  email,
  german,
  integer,
  key,
  list,
  type Migrations,
  pageNumber,
  resource,
  text,
  zodField,
} from 'resource-api'
import { z } from 'zod'
import { onEachDatabase } from '../support/own-api.ts'

const shopMessages = defineMessages({
  'required.title': 'Give a title.',
  'unique.code': 'This code is taken.',
})

const languages = {
  de: {
    ...german,
    'required.title': 'Geben Sie einen Titel an.',
    'unique.code': 'Dieser Code ist vergeben.',
  },
  fr: { not_found: 'Pas trouvé.', invalid: 'Saisie non valable.' },
}

const inLanguage = (language: string) => ({ headers: { 'accept-language': language } })

const migrations: Migrations = {
  async '0001_items'({ schema }, { key, text, json, reference, decimal }) {
    await schema
      .createTable('items')
      .addColumn('id', key)
      .addColumn('title', text)
      .addColumn('code', text, column => column.unique())
      .addColumn('email', text)
      .addColumn('amount', reference)
      .addColumn('price', decimal(6, 2))
      .addColumn('state', text)
      .addColumn('tags', json)
      .addColumn('stars', reference)
      .addColumn('rank', reference)
      .execute()
  },
}

const items = resource('items', {
  table: 'items',
  fields: {
    id: key(),
    title: text({
      max: 5,
      messages: { required: shopMessages('required.title'), max_length: 'At most {max}, please.' },
    }),
    code: text({ required: false, default: 'a', unique: shopMessages('unique.code') }),
    email: email({ required: false, default: 'a@example.org' }),
    amount: integer({ required: false, default: 1, max: 9, messages: { invalid: 'Give a number.' } }),
    price: decimal({ required: false, default: '1.00', maxDigits: 6, decimalPlaces: 2 }),
    state: choice(['open'], { required: false, default: 'open' }),
    tags: list({ of: text({ max: 3, messages: { blank: 'No empty tags.' } }), required: false, default: [] }),
    stars: z.int().max(5).default(3),
    rank: zodField(z.int().default(1), { messages: { null: 'Give a rank.' } }),
  },
  pagination: pageNumber({ pageSize: 2 }),
  filters: { amount: true },
})

onEachDatabase(
  (database: Database) => ({ database, resources: [items], catalogues: [shopMessages], languages }),
  api => {
    const post = (json: object, language = 'de') => api().client.post('/items/', { json, ...inLanguage(language) })

    test('ERR-MSG-r4: errors of fields are in the language of Accept-Language, with their values', async () => {
      const invalid = { email: 'no', price: '1.234', state: 'lost', tags: ['a', 'long'], code: null }
      const response = await post({ title: 't', ...invalid }, 'fr;q=0.1, de-AT')
      assert.equal(response.status, 400)
      assert.deepEqual(response.json(), {
        email: ['Geben Sie eine gültige E-Mail-Adresse ein.'],
        price: ['Es sind höchstens 2 Nachkommastellen zulässig.'],
        state: ['„lost“ ist keine gültige Auswahl.'],
        tags: { 1: ['Dieses Feld darf höchstens 3 Zeichen lang sein.'] },
        code: ['Dieses Feld darf nicht null sein.'],
      })
      assert.equal(response.headers['content-language'], 'de')
      assert.equal(response.headers.vary, 'Accept, Accept-Language')
    })

    test('ERR-MSG-r4: messages of a field replace its texts: the same in every language, or translated', async () => {
      const invalid = { amount: 'x', tags: [''], rank: null }
      assert.deepEqual((await post({ ...invalid })).json(), {
        title: ['Geben Sie einen Titel an.'],
        amount: ['Give a number.'],
        tags: { 0: ['No empty tags.'] },
        rank: ['Give a rank.'],
      })
      assert.deepEqual((await post({ ...invalid, title: 'too long' }, 'en')).json(), {
        title: ['At most 5, please.'],
        amount: ['Give a number.'],
        tags: { 0: ['No empty tags.'] },
        rank: ['Give a rank.'],
      })
      assert.deepEqual((await post({}, 'it')).json(), { title: ['Give a title.'] })
    })

    test('ERR-EXC-r2: a taken value is reported in the language', async () => {
      assert.equal((await post({ title: 'one', code: 'c1' })).status, 201)
      assert.deepEqual((await post({ title: 'two', code: 'c1' })).json(), { code: ['Dieser Code ist vergeben.'] })
      assert.deepEqual((await post({ title: 'two', code: 'c1' }, 'en')).json(), { code: ['This code is taken.'] })
    })

    test('ERR-EXC-r2: issues of Zod schemas have the text of Zod’s locale', async () => {
      assert.deepEqual((await post({ title: 't', stars: 7 })).json(), {
        stars: ['Zu groß: erwartet, dass number <=5 ist'],
      })
      assert.deepEqual((await post({ title: 't', stars: [] })).json(), {
        stars: ['Ungültige Eingabe: erwartet Zahl, erhalten Array'],
      })
      assert.deepEqual((await post({ title: 't', stars: 7 }, 'fr')).json(), {
        stars: ['Too big: expected number to be <=5'],
      })
    })

    test('ERR-BODY-1: filters, pages and missing objects are refused in the language', async () => {
      const get = async (url: string) => (await api().client.get(url, inLanguage('de'))).json()
      assert.deepEqual(await get('/items/?amount=x'), { amount: ['Give a number.'] })
      assert.deepEqual(await get('/items/?amount=1&amount=2'), {
        amount: ['Geben Sie diesen Parameter nur einmal an: Der Filter nimmt einen Wert.'],
      })
      assert.deepEqual(await get('/items/?page=77'), { detail: 'Ungültige Seite.' })
      assert.deepEqual(await get('/items/77/'), { detail: 'Nicht gefunden.' })
      assert.deepEqual(await get('/nowhere/'), { detail: 'Nicht gefunden.' })
    })

    test('RFC 9110 §12.5.5: responses without translated texts do not depend on Accept-Language', async () => {
      for (const url of ['/', '/items/']) {
        const [english, other] = [await api().client.get(url), await api().client.get(url, inLanguage('de'))]
        assert.equal(other.text, english.text)
        for (const { headers } of [english, other]) {
          assert.equal(headers.vary, 'Accept')
          assert.equal(headers['content-language'], undefined)
        }
      }
    })
  },
  { migrations },
)
