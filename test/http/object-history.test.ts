// The history of an object in the administration: for staff who may see and change the object.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createPeople, type People, runInTransaction } from '../support/administration.ts'
import { onEveryDatabase } from '../support/service.ts'

const now = new Date('2030-01-01T00:00:00.000Z')

onEveryDatabase(
  {},
  service => {
    let people: People
    let token: string
    beforeEach(async () => {
      await runInTransaction(service().services, kysely => kysely.deleteFrom('audit_log').execute())
      people = await createPeople(service())
      token = people.root.key
    })

    const grant = (userId: number, ...permissions: readonly string[]) =>
      runInTransaction(service().services, kysely =>
        kysely
          .insertInto('user_permissions')
          .values(permissions.map(permission => ({ user_id: userId, permission })))
          .execute(),
      )

    test('the history of a user shows who changed what, newest first, and never the password', async () => {
      const { client } = service()
      const url = `/admin/users/${people.ann.id}/`
      await client.patch(url, { token, json: { groups: [people.editors], is_active: false } })
      await client.patch(url, { token, json: { password: 'correct horse battery staple' } })
      const response = await client.get(`${url}history/`, { token })
      const [second, first] = response.json().results
      const common = {
        created: '2030-01-01T00:00:00.000000Z',
        event: 'account changed',
        user: 'root',
        action: 'update',
      }
      assert.deepEqual(first, {
        id: first.id,
        ...common,
        changes: { is_active: { old: true, new: false }, groups: { old: [people.readers], new: [people.editors] } },
      })
      assert.deepEqual(second, { id: second.id, ...common, changes: { password: {} } })
      assert.equal(response.json().next, null)
      assert.doesNotMatch(response.text, /argon2|battery/)
    })

    test('SVC-7: pages show the history with labels, related objects by name, and booleans and permissions in words', async () => {
      const { client } = service()
      const url = `/admin/users/${people.ann.id}/`
      const json = { groups: [people.editors], is_staff: true, permissions: ['users.view', 'groups.add'] }
      await client.patch(url, { token, json })
      for (const path of [url, `${url}history/`]) {
        const { text } = await client.get(path, { token, headers: { accept: 'text/html' } })
        const history = /<section class="history".*?<\/section>/s.exec(text)![0]
        assert.match(
          history,
          /<bdi>root<\/bdi> &middot; changed &middot; <a href="[^"]*_undo&#61;\d+">Restore&hellip;<\/a><\/p>/,
        )
        const changes = [...history.matchAll(/<p><b>(.*?)<\/b> <del>(.*?)<\/del> <ins>(.*?)<\/ins><\/p>/g)].map(
          change => change.slice(1).map(part => part.replace(/<a href="([^"]*)">(.*?)<\/a>/g, '$1 $2')),
        )
        assert.deepEqual(Object.fromEntries(changes.map(([name, ...values]) => [name, values])), {
          Groups: [`/admin/groups/${people.readers}/ readers`, `/admin/groups/${people.editors}/ editors`],
          Staff: ['No', 'Yes'],
          Permissions: ['&ndash;', 'Groups: add; Users: view'],
        })
      }
    })

    test('a history has pages', async () => {
      const { client } = service()
      const url = `/admin/groups/${people.editors}/`
      for (let count = 0; count < 21; count++) await client.patch(url, { token, json: { name: `group ${count}` } })
      const first = (await client.get(`${url}history/`, { token })).json()
      assert.equal(first.results.length, 20)
      const { pathname, search } = new URL(first.next)
      const last = (await client.get(pathname + search, { token })).json()
      assert.deepEqual(
        [last.next, last.results.map(({ changes }: { changes: unknown }) => changes)],
        [null, [{ name: { old: 'editors', new: 'group 0' } }]],
      )
      const page = (await client.get(`${url}history/`, { token, headers: { accept: 'text/html' } })).text
      assert.equal(page.match(/<ins>/g)?.length, 20)
      assert.match(page, />Earlier changes</)
      assert.doesNotMatch(page, /class="query"/)
    })

    test('SVC-3: staff need the permissions to see and to change the object', async () => {
      const { client } = service()
      const json = { title: 'Of Ann', code: 'x = 1' }
      const { id } = (await client.post('/snippet/snippets/', { token: people.ann.key, json })).json()
      const url = `/admin/snippets/${id}/`
      await client.patch(url, { token, json: { title: 'Changed' } })
      const { key } = people.stan
      assert.equal((await client.get(url, { token: key })).status, 200)
      assert.equal((await client.get(`${url}history/`, { token: people.ann.key })).status, 403)
      await grant(people.sam.id, 'snippets.change')
      assert.equal((await client.get(`${url}history/`, { token: people.sam.key })).status, 200)
      assert.equal((await client.get(`/admin/snippets/99999/history/`, { token })).status, 404)
      await client.delete(url, { token })
      const [deleted] = (await client.get(`/admin/audit-log/?resource=snippets&action=destroy`, { token })).json()
        .results
      assert.deepEqual(
        [deleted.object_key, deleted.changes.title, deleted.user],
        [String(id), { old: 'Changed' }, 'root'],
      )
    })

    test('SVC-3: staff cannot read the history of an account that they may not change', async () => {
      const { client } = service()
      for (const [person, status] of [
        [people.root, 403],
        [people.ann, 200],
      ] as const) {
        await client.patch(`/admin/users/${person.id}/`, { token, json: { email: `${status}@example.org` } })
        const { status: found } = await client.get(`/admin/users/${person.id}/history/`, { token: people.stan.key })
        assert.equal(found, status)
      }
    })
  },
  () => now,
)
