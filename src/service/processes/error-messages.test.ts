import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceUnavailable } from 'resource-api'
import { formatError } from './error-messages.ts'

const url = 'postgres://ann:hunter2@db.example:5433/service'
const server = 'PostgreSQL at db.example:5433/service'

test('an error of PostgreSQL at start names the host, the database and the fix, but no secret', () => {
  const line = (code: string, message = 'hunter2 was wrong') =>
    formatError(Object.assign(new ServiceUnavailable(), { cause: Object.assign(new Error(message), { code }) }), {
      databaseUrl: url,
    })
  assert.equal(line('28P01'), `DATABASE_URL: ${server} refuses the user or the password`)
  assert.match(line('3D000'), /has no such database: create it with createdb, or set another URL$/)
  assert.equal(
    line('ECONNREFUSED'),
    `DATABASE_URL: ${server} does not respond (ECONNREFUSED): start it, or set another URL`,
  )
  assert.equal(
    line('42501', 'permission denied for schema public'),
    `DATABASE_URL: ${server}: permission denied for schema public`,
  )
  for (const code of ['28P01', '28000', '3D000', 'ETIMEDOUT']) assert.doesNotMatch(line(code), /hunter2/)
})

test('an error without relation to the database is formatted with its cause', () => {
  const error = new Error('no', { cause: new Error('because') })
  for (const databaseUrl of [url, 'sqlite:x.db']) assert.equal(formatError(error, { databaseUrl }), 'no: because')
  assert.equal(formatError(error), 'no: because')
  assert.equal(formatError('text'), 'text')
})

test('a missing package is one line: which files need it does not help', () => {
  for (const code of ['MODULE_NOT_FOUND', 'ERR_MODULE_NOT_FOUND']) {
    const cause = Object.assign(new Error("Cannot find module 'pg'\nRequire stack:\n- /a/b.js"), { code })
    const error = new Error('PostgreSQL needs the package pg: npm install pg@8', { cause })
    assert.equal(formatError(error, { databaseUrl: url }), 'PostgreSQL needs the package pg: npm install pg@8')
  }
})
