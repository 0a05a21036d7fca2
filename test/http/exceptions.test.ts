// Exceptions that an application throws: validation errors of every shape (ERR-BODY-2), custom exceptions (ERR-EXC-p1).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIException, browsable, jsonRenderer, NotFound, PermissionDenied, ValidationError } from 'resource-api'
import { respondToError } from '../support/own-api.ts'

test('ERR-EXC-r2, ERR-BODY-2: the detail of a ValidationError may be a string, a list or a nested object', async () => {
  for (const [raised, body] of [
    [new ValidationError(), { non_field_errors: ['Invalid input.'] }],
    [new ValidationError('Too late.'), { non_field_errors: ['Too late.'] }],
    [new ValidationError(['Too late.', 'Too far.']), { non_field_errors: ['Too late.', 'Too far.'] }],
    [new ValidationError({ day: 'Too late.' }), { day: ['Too late.'] }],
    [new ValidationError({ detail: 'Too late.' }), { detail: 'Too late.' }],
    [new ValidationError({ detail: { message: 'Late.', code: 'late' } }), { detail: 'Late.' }],
    [new ValidationError({ detail: ['Too late.'] }), { detail: ['Too late.'] }],
    [new ValidationError({ detail: { day: 'Late.' } }), { detail: { day: ['Late.'] } }],
    [new ValidationError({ detail: 'a', day: 'b' }), { detail: ['a'], day: ['b'] }],
    [new ValidationError({ day: { detail: 'Late.' } }), { day: { detail: ['Late.'] } }],
    [new ValidationError({ day: ['Too late.'], place: ['Too far.'] }), { day: ['Too late.'], place: ['Too far.'] }],
    [new ValidationError({ end: { day: 'Too late.' } }), { end: { day: ['Too late.'] } }],
    [new ValidationError({ tags: { 1: 'Unknown.' } }), { tags: { 1: ['Unknown.'] } }],
    [new ValidationError({ rows: [{}, { day: 'Late.' }] }), { rows: [{}, { day: ['Late.'] }] }],
    [new ValidationError({ day: { message: 'Late.', code: 'late' } }), { day: ['Late.'] }],
  ] as const) {
    const response = await respondToError(raised)
    assert.deepEqual([response.status, response.json()], [400, body])
  }
})

test('ERR-BODY-2: the key of errors without a field is configurable', async () => {
  const options = { nonFieldErrorsKey: 'general' }
  assert.deepEqual((await respondToError(new ValidationError('Too late.'), options)).json(), { general: ['Too late.'] })
  assert.deepEqual((await respondToError(new ValidationError({ day: 'Late.' }), options)).json(), { day: ['Late.'] })
})

test('a validation error with the text of its detail is no list, in every format', async () => {
  const raised = new ValidationError({ detail: 'Too late.' }, 'late')
  assert.deepEqual([raised.detail, raised.codes], [{ detail: 'Too late.' }, { detail: 'late' }])
  const options = { renderers: [jsonRenderer, browsable()] }
  const request = (accept: string) => respondToError(raised, options, { headers: { accept } })
  const problem = (await request('application/problem+json, */*;q=0.1')).json()
  assert.deepEqual([problem.status, problem.errors], [400, { detail: 'Too late.' }])
  const page = await request('text/html')
  assert.equal(page.status, 400)
  assert.match(page.text, /Too late\./)
})

test('ERR-MSG-p1: validation errors have codes and full details in the structure of the field errors', () => {
  const error = new ValidationError(
    { end: { day: 'Late.' }, rows: ['Bad.', { message: 'Far.', code: 'far' }] },
    'wrong',
  )
  assert.deepEqual(error.detail, { end: { day: ['Late.'] }, rows: ['Bad.', 'Far.'] })
  assert.deepEqual(error.codes, { end: { day: ['wrong'] }, rows: ['wrong', 'far'] })
  assert.deepEqual(error.fullDetails, {
    end: { day: [{ message: 'Late.', code: 'wrong' }] },
    rows: [
      { message: 'Bad.', code: 'wrong' },
      { message: 'Far.', code: 'far' },
    ],
  })
  assert.deepEqual(new ValidationError('Bad.').codes, ['invalid'])
})

test('ERR-MSG-p1: the constructor of an exception takes a message and a code', async () => {
  const error = new PermissionDenied('Not on Sundays.', 'sunday')
  assert.deepEqual(error.fullDetails, { message: 'Not on Sundays.', code: 'sunday' })
  const response = await respondToError(error)
  assert.deepEqual([response.status, response.json()], [403, { detail: 'Not on Sundays.' }])
})

test('ERR-EXC-p1: an exception type has its own status, default message and default code', async () => {
  class PaymentRequired extends APIException {
    static override status = 402
    static override message = 'Your plan does not include this.'
    static override code = 'payment_required'
  }
  const error = new PaymentRequired()
  assert.deepEqual(error.fullDetails, { message: 'Your plan does not include this.', code: 'payment_required' })
  const response = await respondToError(error)
  assert.deepEqual([response.status, response.json()], [402, { detail: 'Your plan does not include this.' }])
  assert.deepEqual((await respondToError(new PaymentRequired('Pay.'))).json(), { detail: 'Pay.' })
})

test('ERR-EXC-p1: a subclass can customise each built-in exception', async () => {
  class Gone extends NotFound {
    static override status = 410
    static override message = 'Gone.'
    static override code = 'gone'
  }
  class Unprocessable extends ValidationError {
    static override status = 422
    static override message = 'Unprocessable.'
    static override code = 'unprocessable'
  }
  const goneResponse = await respondToError(new Gone())
  assert.deepEqual([goneResponse.status, goneResponse.json(), new Gone().codes], [410, { detail: 'Gone.' }, 'gone'])
  const unprocessable = await respondToError(new Unprocessable())
  assert.deepEqual([unprocessable.status, unprocessable.json()], [422, { non_field_errors: ['Unprocessable.'] }])
  assert.deepEqual(new Unprocessable({ day: 'Late.' }).codes, { day: ['unprocessable'] })
})
