import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainTitle, singularTitle } from './title.ts'

test('SVC-7: an object of a resource is called by the singular of the resource', () => {
  for (const [name, title] of Object.entries({
    addresses: 'Address',
    boxes: 'Box',
    branches: 'Branch',
    books: 'Book',
    cases: 'Case',
    categories: 'Category',
    children: 'Child',
    days: 'Day',
    houses: 'House',
    licenses: 'License',
    news: 'News',
    'order-items': 'Order Item',
    people: 'Person',
    series: 'Series',
    status: 'Status',
    statuses: 'Status',
    users: 'User',
    'user-addresses': 'User Address',
    views: 'View',
    audit: 'Audit',
    s: 'S',
  }))
    assert.equal(singularTitle(name), title, name)
})

test('SVC-7: a view below is called as its path says', () => {
  assert.deepEqual(['highlight', 'mark-as-read', 'tokens'].map(plainTitle), ['Highlight', 'Mark As Read', 'Tokens'])
})
