import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { RequestBody } from '../../http/parsers/request-body.ts'
import { type ErrorContext, loggableError } from './loggable-error.ts'

const context = (body: RequestBody, headers: Record<string, string> = {}, url = '/') =>
  ({
    request: { headers, url },
    view: { authentication: [{ varyOn: ['x-api-key'] }] },
    requestBody: body,
  }) as never as ErrorContext

const data = (value: unknown): RequestBody => ({ kind: 'data', data: value })

test('values from the body, headers and query are removed, in every quoting', () => {
  const form: RequestBody = { kind: 'form', form: new URLSearchParams({ password: 'pass word' }) }
  const encoded = Buffer.from('ann:let me in').toString('base64')
  for (const [text, where] of [
    ['hunter2!', context(data({ password: 'hunter2!' }))],
    ['{"a":["qu\\"ote\\n"]}', context(data({ a: ['qu"ote\n'] }))],
    ["O''Hara", context(data([[{ b: "O'Hara" }]]))],
    ['1234567', context(data({ pin: 1234567 }))],
    ['pass word', context(form)],
    ['pass%20word', context(form)],
    ['let me in', context(data(1), { authorization: `Basic ${encoded}` })],
    [encoded, context(data(1), { authorization: `Basic ${encoded}` })],
    ['0123abcd', context(data(1), { authorization: 'Token 0123abcd' })],
    ['s3ssion', context(data(1), { cookie: 'a=1; sessionid=s3ssion' })],
    ['k3y0', context(data(1), { 'x-api-key': 'k3y0' })],
    ['c=urs+or', context(data(1), {}, '/?cursor=c%3Durs%2Bor')],
  ] as const) {
    const error = new Error(`it failed: ${text}.`, { cause: new TypeError(`because of ${text}`) })
    const shown = JSON.stringify(loggableError(error, where))
    assert.ok(!shown.includes(JSON.stringify(text).slice(1, -1)), shown)
    assert.match(shown, /"message":"it failed: .*\[…\].*"/)
    assert.match(shown, /"message":"because of .*\[…\]/)
    assert.match(shown, /at .*loggable-error\.test\.ts/)
  }
})

test('for any value: the message, the stack and the properties do not contain it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 8, maxLength: 40, unit: 'grapheme' }), secret => {
      fc.pre(!'it failed: Error at TestContext'.includes(secret.trim()) && secret.trim().length >= 8)
      const error = Object.assign(new Error(`it failed: ${JSON.stringify({ secret })}\n    at ${secret}`), {
        detail: secret,
        code: secret,
        body: { secret },
      })
      const shown = loggableError(error, context(data({ secret })))
      for (const value of Object.values(shown)) assert.ok(!String(value).includes(secret), String(value))
    }),
  )
})

test('only properties that name things are logged', () => {
  const postgres = Object.assign(new Error('new row for relation "users" violates check constraint "positive"'), {
    code: '23514',
    severity: 'ERROR',
    detail: 'Failing row contains (1, pbkdf2_sha256$…).',
    where: 'SQL statement "insert …"',
    hint: 'no',
    parameters: ['secret'],
    table: 'users',
    constraint: 'positive',
  })
  const { stack, ...shown } = loggableError(postgres)
  assert.deepEqual(
    { ...shown },
    {
      type: 'Error',
      message: postgres.message,
      code: '23514',
      severity: 'ERROR',
      table: 'users',
      constraint: 'positive',
    },
  )
  assert.match(stack, /^Error: new row .*\n {4}at /)
})

test('an error that is too long to search is not logged, nor is a value that is not an Error', () => {
  const many = context(data(Array.from({ length: 2001 }, (_, index) => `value ${index}`)))
  assert.equal(loggableError(new Error('value 7'), many).message, '(7 characters, which are not shown)')
  assert.equal(loggableError(new Error('x'.repeat(8001))).message, '(8001 characters, which are not shown)')
  assert.doesNotMatch(JSON.stringify(loggableError({ password: 'secret' })), /secret/)
  const hostile = Object.defineProperty(new Error('x'), 'message', {
    get: () => {
      throw new Error('secret')
    },
  })
  assert.deepEqual(loggableError(hostile), { type: 'Error', message: '(an error that cannot be shown)', stack: '' })
})
