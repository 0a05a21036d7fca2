import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresDialect } from '../postgres/postgres-dialect.ts'

test('the name of an existing table is found in PostgreSQL messages of other languages', () => {
  const messages = {
    English: 'relation "users" already exists',
    French: 'la relation « users » existe déjà',
    German: 'Relation »users« existiert bereits',
    Polish: 'relacja „users” już istnieje',
  }
  for (const [language, message] of Object.entries(messages)) {
    const error = Object.assign(new Error(message), { code: '42P07' })
    assert.equal(postgresDialect.findExistingTable(error), 'users', language)
  }
})
