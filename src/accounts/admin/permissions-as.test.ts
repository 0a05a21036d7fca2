import assert from 'node:assert/strict'
import { test } from 'node:test'
import { key, type Permission, type RequestContext, resource } from 'resource-api'
import { permissionsAs } from './permissions-as.ts'

const only = (...methods: readonly string[]): Permission => ({
  allowsSafe: true,
  allows: ({ method }) => methods.includes(method),
  allowsObject: ({ method }) => methods.includes(method),
})
const context = { method: 'GET' } as RequestContext

const decide = (permissions: readonly Permission[]) =>
  permissions.map(({ allows, allowsObject, allowsSafe = false }) => [
    allows!(context),
    allowsObject!(context, {}),
    allowsSafe,
  ])

test('a view needs what a GET needs, and what the method needs, also for objects', () => {
  const items = resource('items', { table: 'items', fields: { id: key() }, permissions: [only('GET', 'PATCH')] })
  const allowed = [true, true]
  assert.deepEqual(decide(permissionsAs('PATCH', items)), [
    [...allowed, true],
    [...allowed, false],
  ])
  assert.deepEqual(decide(permissionsAs('DELETE', items)), [
    [...allowed, true],
    [false, false, false],
  ])
})

test('the permissions of single actions count', () => {
  const items = resource('items', {
    table: 'items',
    fields: { id: key() },
    permissions: [],
    perAction: { retrieve: { permissions: [only('GET')] }, destroy: { permissions: [only('DELETE')] } },
  })
  assert.equal(permissionsAs('PATCH', items).length, 1)
  assert.deepEqual(decide(permissionsAs('DELETE', items)), [
    [true, true, true],
    [true, true, false],
  ])
})
