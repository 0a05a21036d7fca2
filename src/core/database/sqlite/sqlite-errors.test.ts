import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIException } from '../../errors/exceptions.ts'
import { ConstraintViolation } from '../database.ts'
import { UnusableDatabase } from '../unusable-database.ts'
import { createTranslate, explainUnusable, isStorageFailure } from './sqlite-errors.ts'

const createSqliteError = (errcode: number, message = `code ${errcode}`) =>
  Object.assign(new Error(message), { errcode })

test('storage failures become 507 or 503, and constraint errors become ConstraintViolation', () => {
  const translate = createTranslate('x.db', undefined)
  const findStatus = (errcode: number) => {
    const error = translate(createSqliteError(errcode))
    return error instanceof APIException ? error.status : error
  }
  // FULL; IOERR_SHMSIZE
  for (const full of [13, 4874]) assert.equal(findStatus(full), 507)
  // BUSY and BUSY_RECOVERY, READONLY and READONLY_DBMOVED, IOERR_WRITE, IOERR_FSYNC, CANTOPEN
  for (const temporary of [5, 261, 8, 1032, 778, 1034, 14]) assert.equal(findStatus(temporary), 503)
  for (const constraint of [2067, 1555, 787]) assert.ok(findStatus(constraint) instanceof ConstraintViolation)
  const damaged = createSqliteError(11)
  for (const unchanged of [damaged, new Error('no code'), 'text', undefined])
    assert.equal(translate(unchanged), unchanged)
})

test('a storage failure is reported once per message, and isStorageFailure recognizes it by its cause', () => {
  const messages: string[] = []
  const translate = createTranslate('x.db', error => messages.push(error.message))
  const failures = [13, 13, 11, 778].map(code => translate(createSqliteError(code)))
  for (const failure of failures) assert.ok(isStorageFailure(failure))
  for (const other of [
    translate(createSqliteError(5)),
    translate(createSqliteError(2067)),
    new Error('no code'),
    undefined,
  ])
    assert.ok(!isStorageFailure(other))
  assert.deepEqual(messages, ['x.db: code 13', 'x.db: code 11', 'x.db: code 778'])
})

test('the error for a file that cannot be opened names the file and the fix; unknown errors stay unchanged', () => {
  const reason = explainUnusable('/data/x.db', createSqliteError(26))
  assert.ok(reason instanceof UnusableDatabase)
  assert.match(reason.message, /^\/data\/x\.db is not a SQLite database: use a different file/)
  const unknown = new Error('SQLite is too old')
  assert.equal(explainUnusable('/data/x.db', unknown), unknown)
})
