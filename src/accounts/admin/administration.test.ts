import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { dateTime, integer, key, nested, openSqlite, readOnly, related, resource, text } from 'resource-api'
import { createAccounts } from '../create-accounts.ts'
import { type AdminOptions, type AdminResource, adminResource } from './admin-resource.ts'

const database = openSqlite({ path: ':memory:' })
after(() => database.close())
const accounts = createAccounts({ database, secret: 'x'.repeat(40) })

const orders = resource('orders', {
  table: 'orders',
  actions: ['list'],
  permissions: [],
  perAction: { list: { shows: ['id', 'number'], permissions: [] }, create: { permissions: [] } },
  fields: { id: key(), number: text(), created: readOnly(dateTime()) },
})

suite('adminResource', () => {
  const wrong: readonly [options: object, message: RegExp][] = [
    [
      { searchFields: ['title'] },
      /^adminResource\("orders"\): searchFields: there is no field "title": the fields are id, number, created; a column without a field can be added to "readOnlyFields"$/,
    ],
    [{ listFields: ['title'] }, /listFields: there is no field "title"/],
    [{ objectName: 'title' }, /objectName: there is no field "title"/],
    [{ filters: { title: true } }, /filters: "title": there is no field "title"/],
    [{ orderingFields: ['title'] }, /orderingFields: there is no field "title"/],
    [{ searchFields: ['customer.name'] }, /searchFields: there is no field "customer"/],
    [{ orderingFields: ['number.x'] }, /orderingFields: "number.x": field "number" is not a relation/],
    [
      { columns: ['number'] },
      /^adminResource\("orders"\): there is no option "columns": the options are actions, listFields/,
    ],
    [
      { readOnlyFields: { number: text() } },
      /readOnlyFields: the resource has a field "number" already: remove it here/,
    ],
    [{ actions: ['publish'] }, /actions: there is no action "publish": the actions are list, create/],
  ]
  for (const [options, message] of wrong)
    test(`wrong options are an error that says the fix: ${JSON.stringify(options)}`, () => {
      assert.throws(() => adminResource(orders, options as AdminOptions), { message })
    })

  test('a resource that can only be listed needs "actions" if its fields cannot be written', () => {
    const totals = resource('totals', {
      table: 'orders',
      actions: ['list'],
      fields: { sum: integer({ required: false }) },
    })
    assert.throws(() => adminResource(totals), /"sum" is optional: .*; or set "actions" to those that callers/)
    assert.deepEqual(adminResource(totals, { actions: ['list'] }).resource.actions, ['list'])
  })

  test('a field that is added to "readOnlyFields" is read-only, also a relation that gets its column from its name', () => {
    const { owner } = adminResource(orders, { readOnlyFields: { owner: related(orders) } }).resource.fields
    assert.partialDeepStrictEqual(owner, { readOnly: true, required: false })
    assert.deepEqual(owner!.columns('owner'), ['owner_id'])
  })

  test('all actions, the fields of each action, and none of the declared policies', () => {
    const { actions, perAction, permissions, auditEvent } = adminResource(orders).resource
    assert.deepEqual(actions, ['list', 'create', 'retrieve', 'update', 'destroy'])
    assert.deepEqual(perAction, { list: { shows: ['id', 'number'] } })
    assert.deepEqual([permissions, auditEvent], [undefined, 'order changed'])
  })
})

suite('administration', () => {
  const administer = (...resources: readonly AdminResource[]) => accounts.administration({ resources })

  for (const name of ['users', 'groups', 'tokens', 'sessions', 'audit-log'])
    test(`a resource must not be named "${name}"`, () => {
      const own = resource(name, { table: 'orders', fields: { id: key() } })
      assert.throws(() => administer(adminResource(own)), {
        message: `administration(): the administration has its own "${name}": leave this resource out, or declare it under another name`,
      })
    })

  test('two resources must not have one name', () => {
    assert.throws(() => administer(adminResource(orders), adminResource(orders)), {
      message: 'administration(): there are two resources named "orders": leave one out, or rename it',
    })
  })

  test('a declared resource must be wrapped', () => {
    assert.throws(() => administer(orders as unknown as AdminResource), {
      message: 'administration(): "orders" is not a resource of the administration: wrap it in adminResource()',
    })
  })

  test('an object that new ones need must be shown, too', () => {
    const boxes = resource('boxes', { table: 'boxes', fields: { id: key(), label: text() } })
    const parcels = resource('parcels', {
      table: 'parcels',
      fields: { id: key(), box: nested({ of: boxes, column: 'box_id', writable: true }) },
    })
    assert.throws(() => administer(adminResource(parcels)), {
      message:
        'administration(): a new object of "parcels" needs the object "box": show the resource "boxes" too, or leave out the action "create": adminResource(parcels, { actions: [\'list\', \'retrieve\', \'update\', \'destroy\'] })',
    })
    administer(adminResource(parcels), adminResource(boxes))
    administer(adminResource(parcels, { actions: ['list', 'update'] }))
  })

  const users = resource('users', { table: 'users', fields: { id: key() } })

  test('a relation may lead to a resource that is not shown, or to the users of the administration', () => {
    const fields = {
      id: key(),
      owner: related(users),
      order: related(orders),
    }
    const items = resource('items', { table: 'items', fields })
    const { resources = [] } = administer(adminResource(items))
    const hidden = resources.filter(({ actions }) => actions.length === 0)
    assert.deepEqual(
      hidden.map(({ name, table }) => [name, table]),
      [['orders', 'orders']],
    )
    assert.equal(resources.filter(({ name }) => name === 'users').length, 1)
  })

  test('children are read-only unless their resource is shown', () => {
    const lines = resource('lines', { table: 'lines', fields: { id: key(), order: related('baskets') } })
    const baskets = resource('baskets', {
      table: 'baskets',
      fields: { id: key(), lines: nested({ of: lines, many: { reverse: 'order_id' }, writable: true }) },
    })
    const isReadOnly = (...shown: readonly AdminResource[]) =>
      administer(...shown).resources?.find(({ name }) => name === 'baskets')?.fields.lines?.readOnly
    assert.equal(isReadOnly(adminResource(baskets)), true)
    assert.equal(isReadOnly(adminResource(baskets), adminResource(lines)), false)
  })

  test('a hyperlink leads to the API in which its target has URLs', () => {
    const fields = { id: key(), order: related(orders, { form: 'url' }) }
    const items = resource('items', { table: 'items', fields })
    const { resources = [] } = administer(adminResource(items))
    assert.deepEqual(
      resources.filter(({ actions }) => actions.length === 0),
      [],
    )
  })
})
