import assert from 'node:assert/strict'
import { test } from 'node:test'
import { key, readOnly, resource, slug, text, writeOnly } from 'resource-api'

const nameOf = (fields: object, options: object = {}) =>
  resource('books', { table: 'books', fields: { id: key(), ...fields }, ...options } as never).objectName

const unique = text({ unique: 'There is one.' })

test('the name of an object is the one unique text, a name or a title, the text of its URL, or the first searched text', () => {
  assert.equal(nameOf({ name: text(), isbn: unique }), 'isbn')
  assert.equal(nameOf({ isbn: unique, issn: unique, title: text(), name: text() }), 'name')
  assert.equal(nameOf({ slug: slug({ unique: 'There is one.' }), title: text() }, { lookup: 'slug' }), 'title')
  assert.equal(nameOf({ slug: slug({ unique: 'There is one.' }) }, { lookup: 'slug' }), 'slug')
  assert.equal(nameOf({ first: text(), label: text() }, { searchFields: ['label', 'first'] }), 'label')
  assert.equal(nameOf({ first: text() }), undefined)
})

test('a secret, a long text and a text that some callers do not see are no names', () => {
  for (const name of [writeOnly(text()), text({ multiline: true }), readOnly(text({ visible: () => true }))])
    assert.equal(nameOf({ name }), undefined)
  assert.equal(nameOf({ name: text() }, { noStore: true }), undefined)
})

test('a declared name stays, and a resource with the properties of another one finds its own', () => {
  const books = resource('books', { table: 'books', fields: { id: key(), name: text(), title: text() } })
  assert.equal(resource('books', { ...books, objectName: 'title' } as never).objectName, 'title')
  assert.equal(resource('books', { ...books, fields: { id: key(), title: text() } } as never).objectName, 'title')
})
