import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIException } from '../errors/exceptions.ts'
import { ConstraintViolation } from './database.ts'
import { createTranslate, isStorageFailure, whyUnusable } from './sqlite-errors.ts'
import { UnusableDatabase } from './unusable-database.ts'

const sqliteError = (errcode: number, message = `code ${errcode}`) => Object.assign(new Error(message), { errcode })

test('what fails becomes the answer that a caller can do something about', () => {
  const translate = createTranslate('x.db', undefined)
  const statusOf = (errcode: number) => {
    const error = translate(sqliteError(errcode))
    return error instanceof APIException ? error.status : error
  }
  // FULL; IOERR_SHMSIZE
  for (const full of [13, 4874]) assert.equal(statusOf(full), 507)
  // BUSY and BUSY_RECOVERY, READONLY and READONLY_DBMOVED, IOERR_WRITE, IOERR_FSYNC, CANTOPEN
  for (const passing of [5, 261, 8, 1032, 778, 1034, 14]) assert.equal(statusOf(passing), 503)
  for (const unique of [2067, 1555, 787]) assert.ok(statusOf(unique) instanceof ConstraintViolation)
  const damaged = sqliteError(11)
  for (const other of [damaged, new Error('no code'), 'text', undefined]) assert.equal(translate(other), other)
})

test('the failure of the storage is told once in a while, and is known by its cause', () => {
  const told: string[] = []
  const translate = createTranslate('x.db', error => told.push(error.message))
  const failures = [13, 13, 11, 778].map(code => translate(sqliteError(code)))
  for (const failure of failures) assert.ok(isStorageFailure(failure))
  for (const other of [translate(sqliteError(5)), translate(sqliteError(2067)), new Error('no code'), undefined])
    assert.ok(!isStorageFailure(other))
  assert.deepEqual(told, ['x.db: code 13', 'x.db: code 11', 'x.db: code 778'])
})

test('why a file cannot be opened names it and the fix; what is not known stays as it is', () => {
  const reason = whyUnusable('/data/x.db', sqliteError(26))
  assert.ok(reason instanceof UnusableDatabase)
  assert.match(reason.message, /^\/data\/x\.db is no SQLite database: name another file/)
  const unknown = new Error('SQLite is too old')
  assert.equal(whyUnusable('/data/x.db', unknown), unknown)
})
