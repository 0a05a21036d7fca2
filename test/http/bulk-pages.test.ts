// Actions for several objects of a list, by forms without a script.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createPeople, type People } from '../support/administration.ts'
import { type Browser, findCsrfToken, openBrowser } from '../support/browser.ts'
import { toReadableText } from '../support/html.ts'
import { onEveryDatabase } from '../support/service.ts'

const headers = { accept: 'text/html' }
const list = '/admin/users/'

onEveryDatabase({}, service => {
  let people: People
  let browser: Browser
  beforeEach(async () => {
    people = await createPeople(service())
    browser = openBrowser(service().client)
    await browser.logIn('root')
  })

  const pathOf = (name: 'root' | 'stan' | 'sam' | 'pam' | 'ann') => `${list}${people[name].id}/`
  const open = async (query: string) => toReadableText((await browser.get(list + query, { headers })).text)

  async function run(query: string, fields: readonly (readonly [string, string])[], origin = 'same-origin') {
    const csrfmiddlewaretoken = findCsrfToken(await browser.get(list, { headers }))
    const form = new URLSearchParams({ csrfmiddlewaretoken })
    for (const [name, value] of fields) form.append(name, value)
    return browser.request('POST', list + query, {
      body: String(form),
      headers: {
        ...headers,
        'accept-encoding': 'gzip',
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': origin,
      },
    })
  }

  const listNames = async (query = '') =>
    (await browser.get(list + query)).json().results.map(({ username }: { username: string }) => username)

  test('SVC-7: the list offers its actions, and the next page names the selected objects and counts all', async () => {
    const page = await open('?is_staff=true')
    assert.match(
      page,
      /<form method="get" action="\/admin\/users\/" data-bulk>\n<input type="hidden" name="is_staff" value="true">/,
    )
    const options = [...page.matchAll(/<option value="([\w-]+)">/g)].map(([, name]) => name)
    assert.deepEqual(options.slice(-4), ['deactivate', 'activate', 'add-to-group', 'delete'])
    const confirm = await open(`?is_staff=true&_bulk=deactivate&_selected=${pathOf('stan')}&_selected=${pathOf('ann')}`)
    assert.match(confirm, /<h1[^>]*>Deactivate: Users<\/h1>/)
    assert.match(confirm, /The selected objects: 1.*<li><bdi>stan<\/bdi><\/li><\/ul>.*All that match: 3/s)
    assert.match(confirm, /method="post" action="\/admin\/users\/\?is_staff=true&_bulk=deactivate"/)
  })

  test('SVC-7: the form keeps the page of the list; without a selection, the next page offers all of that page', async () => {
    for (let index = 10; index < 35; index++) await service().createUser(`row-${index}`)
    assert.match(await open('?search=row-&page=2'), /<input type="hidden" name="page" value="2">/)
    for (const _ of ['first', 'repeated']) {
      const { results } = (await browser.get(`${list}?search=row-&page=2`)).json()
      const confirm = await open(`?search=row-&page=2&_bulk=delete&_selected=${list}${results[4].id}/`)
      assert.match(
        confirm,
        /value="" required checked> The selected objects: 1.*<bdi>row-34<\/bdi>.*All that match: 25/s,
      )
    }
    const confirm = await open('?search=row-&page=2&_bulk=delete')
    assert.match(confirm, /value="" required > All on this page: 5.*<bdi>row-30<\/bdi>.*All that match: 25/s)
    assert.equal(confirm.split('name="_selected"').length - 1, 5)
  })

  test('SVC-7: an action changes the selected objects, and leads back to the list with a notice', async () => {
    const done = await run('?is_staff=true&_bulk=deactivate', [
      ['_selected', pathOf('stan')],
      ['_selected', pathOf('sam')],
    ])
    assert.deepEqual([done.status, done.headers.location], [303, `${list}?is_staff=true`])
    assert.deepEqual(await listNames('?is_active=false'), ['sam', 'stan'])
    assert.match(await open('?is_staff=true'), /role="status"[^>]*>Done: 2\./)
  })

  test('SVC-7: an action is for all objects that match, on all pages', async () => {
    for (let index = 10; index < 40; index++) await service().createUser(`row-${index}`)
    const done = await run('?search=row-&page=2&_bulk=delete', [['_all', '1']])
    assert.deepEqual([done.status, done.headers.location], [303, `${list}?search=row-`])
    assert.match(await open('?search=row-'), /role="status"[^>]*>Done: 30\./)
    assert.deepEqual(await listNames(), ['ann', 'pam', 'root', 'sam', 'stan'])
  })

  test('SVC-7: several users join a group, and keep their other groups', async () => {
    const confirm = await open(`?_bulk=add-to-group&_selected=${pathOf('ann')}`)
    assert.match(confirm, /data-field="groups"/)
    await run('?_bulk=add-to-group', [
      ['_selected', pathOf('ann')],
      ['_selected', pathOf('stan')],
      ['groups', String(people.editors)],
    ])
    const groupsOf = async (name: 'ann' | 'stan') => (await browser.get(pathOf(name))).json().groups
    assert.deepEqual(await groupsOf('ann'), [people.editors, people.readers])
    assert.deepEqual(await groupsOf('stan'), [people.editors])
    await run('?_bulk=add-to-group', [['_selected', pathOf('stan')]])
    assert.match(await open(''), /Done: 0\./)
    assert.deepEqual(await groupsOf('stan'), [people.editors])
  })

  test('SVC-7: objects that refuse an action stay, and the notice says why', async () => {
    await run('?_bulk=delete', [
      ['_selected', pathOf('root')],
      ['_selected', pathOf('ann')],
      ['_selected', '/admin/groups/1/'],
      ['_selected', '/snippet/snippets/1/'],
    ])
    assert.deepEqual(await listNames(), ['pam', 'root', 'sam', 'stan'])
    assert.match(await open(''), /Done: 1\. Refused: 3\. The first reason: .*superuser/)
  })

  test('AUTH-SCH-4: a form of another site, without a token, or of a caller without the right changes nothing', async () => {
    const selected = [['_selected', pathOf('ann')]] as const
    assert.notEqual((await run('?_bulk=delete', selected, 'cross-site')).status, 303)
    const form = { _selected: pathOf('ann') }
    const withoutToken = { form, headers: { ...headers, 'sec-fetch-site': 'same-origin' } }
    await browser.request('POST', `${list}?_bulk=delete`, withoutToken)
    const anonymous = await service().client.post(`${list}?_bulk=delete`, withoutToken)
    assert.equal(anonymous.status, 401)
    await browser.logOut()
    await browser.logIn('ann')
    assert.equal((await browser.request('POST', `${list}?_bulk=delete`, withoutToken)).status, 403)
    assert.ok(await service().services.accounts.users.find('ann'))
  })

  test('SVC-7: an action that the list does not offer is 404', async () => {
    assert.equal((await run('?_bulk=explode', [['_selected', pathOf('ann')]])).status, 404)
  })
})
