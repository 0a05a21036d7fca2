// Exceptions in the caller's language, and the header fields of their responses (RFC 9110 §8.5, §12.5.5).

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  APIException,
  type ApiOptions,
  authenticated,
  browsable,
  defineMessages,
  type ExceptionHandler,
  exceptionHandler,
  german,
  jsonRenderer,
  NotFound,
  PermissionDenied,
  Throttled,
  text,
  ValidationError,
  type ViewOptions,
} from 'resource-api'
import { readFields } from 'resource-api/extend'
import { asUser, respondToError, startApi, type TestApi, userScheme } from '../support/own-api.ts'

class PaymentRequired extends APIException {
  static override status = 402
  static override message = 'Your plan does not include this.'
  static override code = 'payment_required'
}

/** A new text for a code of the framework: it has no translation. */
class Closed extends PermissionDenied {
  static override message = 'The shop is closed.'
}

const shopMessages = defineMessages({
  overlap: 'The dates overlap with {other}.',
  payment_required: PaymentRequired.message,
})

const options: ApiOptions = {
  catalogues: [shopMessages],
  languages: {
    de: {
      ...german,
      overlap: 'Die Zeiträume überschneiden sich mit {other}.',
      payment_required: 'Ihr Tarif enthält das nicht.',
    },
    fr: { not_found: 'Pas trouvé.' },
  },
}

const inLanguage = (language: string) => ({ 'accept-language': language })
const raise = (error: unknown, language: string, more: ApiOptions = {}) =>
  respondToError(error, { ...options, ...more }, { headers: inLanguage(language) })

test('ERR-EXC-p1: the default text of an exception is translated, an own text is not', async () => {
  const cases: readonly (readonly [unknown, string])[] = [
    [new NotFound(), 'Nicht gefunden.'],
    [new NotFound('No such shelf.'), 'No such shelf.'],
    [new PermissionDenied(undefined, 'mine'), 'Sie haben nicht die Berechtigung, diese Aktion auszuführen.'],
    [new PermissionDenied(shopMessages('overlap', { other: 'A' })), 'Die Zeiträume überschneiden sich mit A.'],
    [new Closed(), 'The shop is closed.'],
    [new PaymentRequired(), 'Ihr Tarif enthält das nicht.'],
    [new Throttled(1.5), 'Die Anfrage wurde gedrosselt. Voraussichtlich in 2 Sekunden wieder möglich.'],
    [new Throttled(1), 'Die Anfrage wurde gedrosselt. Voraussichtlich in 1 Sekunde wieder möglich.'],
    [Object.assign(new Error('Not Found'), { statusCode: 404 }), 'Nicht gefunden.'],
    [new Error('a fault'), 'Ein Serverfehler ist aufgetreten.'],
  ]
  for (const [error, detail] of cases) assert.deepEqual((await raise(error, 'de')).json(), { detail })
})

test('ERR-EXC-r2: an own validation error carries the key of its message', async () => {
  const error = new ValidationError({ start: [shopMessages('overlap', { other: 'May 2' }), 'Too soon.'] })
  assert.deepEqual((await raise(error, 'de')).json(), {
    start: ['Die Zeiträume überschneiden sich mit May 2.', 'Too soon.'],
  })
  assert.deepEqual(error.detail, { start: ['The dates overlap with May 2.', 'Too soon.'] })
})

test('RFC 9110 §8.5: Content-Language is the language of the text, English if the language lacks it', async () => {
  const missing = async (language: string) => {
    const { headers, json } = await raise(new NotFound(), language)
    return [json().detail, headers['content-language'], headers.vary]
  }
  const vary = 'Accept, X-User, Accept-Language'
  assert.deepEqual(await missing('fr'), ['Pas trouvé.', 'fr', vary])
  assert.deepEqual(await missing('it'), ['Not found.', 'en', vary])
  const denied = await raise(new PermissionDenied(), 'fr')
  assert.equal(denied.headers['content-language'], 'en')
  const own = await raise(new NotFound('No such shelf.'), 'de')
  assert.deepEqual([own.headers['content-language'], own.headers.vary], [undefined, 'Accept, X-User'])
})

test('ERR-MSG-r2: `messages` replaces English texts, by code or by a finer key, without a choice of languages', async () => {
  const messages = { not_found: 'Nothing here.', 'throttled.seconds': 'Wait {seconds} s.' }
  const missing = await raise(new NotFound(), 'de', { languages: {}, messages })
  assert.deepEqual(missing.json(), { detail: 'Nothing here.' })
  assert.deepEqual([missing.headers['content-language'], missing.headers.vary], [undefined, 'Accept, X-User'])
  assert.deepEqual((await raise(new Throttled(9), 'en', { messages })).json(), { detail: 'Wait 9 s.' })
  assert.deepEqual((await raise(new NotFound(), 'de', { messages })).json(), { detail: 'Nicht gefunden.' })
})

test('ERR-BODY-3: an exception handler gets the texts in the language, and can translate its own', async () => {
  const handler: ExceptionHandler = (error, context) => {
    const response = exceptionHandler(error, context)
    return response && error instanceof APIException
      ? { ...response, body: { text: error.message, plan: context.translate(shopMessages('payment_required')) } }
      : response
  }
  const response = await raise(new NotFound(), 'de', { exceptionHandler: handler })
  assert.deepEqual(response.json(), { text: 'Nicht gefunden.', plan: 'Ihr Tarif enthält das nicht.' })
})

test('ERR-BODY-1: `Vary` of an exception handler is kept', async () => {
  const handler: ExceptionHandler = (error, context) => {
    const response = exceptionHandler(error, context)
    return response && { ...response, headers: { vary: 'Accept, Origin' } }
  }
  const { headers } = await raise(new NotFound(), 'de', { exceptionHandler: handler })
  assert.equal(headers.vary, 'Accept, Origin, Accept-Language')
})

suite('an API with pages', () => {
  const note: ViewOptions = {
    name: 'Note',
    forms: { POST: { fields: { title: text() } } },
    handlers: {
      GET: () => ({ status: 200, body: { title: 'a' } }),
      async POST({ requestBody, baseUrl }) {
        await readFields({ title: text() }, requestBody, { context: { baseUrl, route: () => undefined } })
        return { status: 201 }
      },
      PUT: { handle: () => ({ status: 200 }), permissions: [authenticated] },
    },
  }
  const observed: unknown[] = []
  let api: TestApi
  before(async () => {
    api = await startApi({
      ...options,
      authentication: [userScheme],
      renderers: [jsonRenderer, browsable()],
      observe: ({ error }) => observed.push(error),
      views: { '/note/': note },
    })
  })
  after(() => api?.stop())

  test('AUTH-GEN-5: refusals are in the language of each caller, and the shared exception stays English', async () => {
    const refuse = async (language: string) =>
      (await api.client.put('/note/', { headers: inLanguage(language) })).json()
    for (let round = 0; round < 2; round++) {
      assert.deepEqual(await refuse('de'), { detail: 'Es wurden keine Zugangsdaten angegeben.' })
      assert.deepEqual(await refuse('en'), { detail: 'Authentication credentials were not provided.' })
    }
    assert.deepEqual(
      observed.slice(-4).map(error => (error as APIException).detail),
      Array(4).fill('Authentication credentials were not provided.'),
    )
    const { headers } = await api.client.put('/note/', { headers: inLanguage('de') })
    assert.equal(headers['www-authenticate'], 'User')
    const failed = await api.client.get('/note/', { headers: { ...asUser('nobody').headers, ...inLanguage('de') } })
    assert.deepEqual(failed.json(), { detail: 'Nobody has this name.' })
  })

  test('ERR-MSG-r1: problem details are in the language', async () => {
    const accept = 'application/json, application/problem+json'
    const headers = { accept, ...inLanguage('de') }
    const refused = await api.client.delete('/note/', { headers })
    assert.equal(refused.json().detail, 'Die Methode „DELETE“ ist nicht erlaubt.')
    const invalid = await api.client.post('/note/', { json: {}, headers })
    const { detail, code, errors } = invalid.json()
    assert.deepEqual(
      { detail, code, errors },
      { detail: 'Ungültige Eingabe.', code: 'invalid', errors: { title: ['Dieses Feld ist erforderlich.'] } },
    )
  })

  test('ERR-BODY-1: error pages and forms show the language', async () => {
    const headers = { accept: 'text/html', ...inLanguage('de') }
    const missing = await api.client.get('/nowhere/', { headers })
    assert.match(missing.text, /Nicht gefunden\./)
    const form = await api.client.post('/note/', { form: { title: '' }, headers })
    assert.equal(form.status, 400)
    assert.equal(form.text.match(/Dieses Feld darf nicht leer sein\./g)?.length, 2)
    assert.doesNotMatch(form.text, /may not be blank/)
  })
})
