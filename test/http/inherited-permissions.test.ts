// The permissions that a user has without being granted them, beside the user's own.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createPeople, type People } from '../support/administration.ts'
import { toReadableText } from '../support/html.ts'
import { onEveryDatabase } from '../support/service.ts'

onEveryDatabase({}, service => {
  let people: People
  before(async () => {
    people = await createPeople(service())
  })
  const send = async (method: string, url: string, json: object) => {
    const response = await service().client.request(method, url, { json, token: people.root.key })
    assert.ok(response.status < 300, response.text)
    return response.json()
  }
  const createGroup = async (name: string, ...permissions: readonly string[]) =>
    (await send('POST', '/admin/groups/', { name, permissions })).id
  const openRights = async (id: number) => {
    const url = `/admin/users/${id}/`
    const { text } = await service().client.get(url, { token: people.root.key, headers: { accept: 'text/html' } })
    const [, rights = ''] =
      /<legend>Rights<\/legend>(.*?)<\/fieldset>\n<p class="send save">/s.exec(toReadableText(text)) ?? []
    return rights
  }

  test('SVC-7: a user has the permissions of all groups, each once, in every response', async () => {
    const writers = await createGroup('Writers', 'snippets.view', 'snippets.add')
    const readers = await createGroup('<b>Readers', 'snippets.view', 'users.view')
    const inherited = ['snippets.add', 'snippets.view', 'users.view']
    const user = await send('POST', '/admin/users/', {
      username: 'both',
      password: 'correct horse battery',
      groups: [writers, readers],
      permissions: ['groups.view'],
    })
    assert.deepEqual([user.permissions, user.inherited_permissions], [['groups.view'], inherited])
    const url = `/admin/users/${user.id}/`
    const one = await send('PATCH', url, { groups: [writers], inherited_permissions: ['users.delete'] })
    assert.deepEqual(one.inherited_permissions, ['snippets.add', 'snippets.view'])
    await send('PATCH', `/admin/groups/${writers}/`, { permissions: [] })
    const { text } = await service().client.get(url, { token: people.root.key })
    assert.deepEqual(JSON.parse(text).inherited_permissions, [])
    assert.match(await openRights(user.id), /<dt>Inherited permissions<\/dt><dd><span class="none">/)
  })

  test('SVC-7: the page of a user shows them below the own permissions; a superuser has all', async () => {
    const editors = await createGroup('Page editors', 'snippets.view', 'snippets.change')
    const { id } = await send('POST', '/admin/users/', {
      username: 'editor',
      password: 'correct horse battery',
      groups: [editors],
    })
    const rights = await openRights(id)
    assert.match(
      rights,
      /name="permissions".*<dt>Inherited permissions<\/dt><dd><ul class="values"><li>Snippets: view, change<\/li><\/ul>/s,
    )
    assert.doesNotMatch(rights, /name="inherited_permissions"/)
    await send('PATCH', `/admin/users/${id}/`, { is_superuser: true })
    assert.match(await openRights(id), /<dt>Inherited permissions<\/dt><dd><ul class="values"><li>All<\/li><\/ul>/)
  })
})
