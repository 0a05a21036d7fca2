import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatSingularTitle, formatTitle } from './title.ts'

test('SVC-7: the title of an object is the singular of the resource name', () => {
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
    assert.equal(formatSingularTitle(name), title, name)
})

test('SVC-7: the title of a view below a resource follows from its path', () => {
  assert.deepEqual(['highlight', 'mark-as-read', 'tokens'].map(formatTitle), ['Highlight', 'Mark As Read', 'Tokens'])
})
