// Actions for several objects of a list, by forms without a script.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createPeople, insertUsers, type People, runInTransaction } from '../support/administration.ts'
import { type Browser, findCsrfToken, openBrowser } from '../support/browser.ts'
import type { TestResponse } from '../support/client.ts'
import { toReadableText } from '../support/html.ts'
import { onEitherService } from '../support/service.ts'

const headers = { accept: 'text/html' }
const list = '/admin/users/'

onEitherService({}, service => {
  let people: People
  let browser: Browser
  beforeEach(async () => {
    people = await createPeople(service())
    browser = openBrowser(service().client)
    await browser.logIn('root')
  })

  const pathOf = (name: 'root' | 'stan' | 'sam' | 'pam' | 'ann') => `${list}${people[name].id}/`
  const open = async (query = '', path = list) => toReadableText((await browser.get(path + query, { headers })).text)
  type Fields = readonly (readonly [string, string])[]

  async function send(query: string, fields: Fields, { origin = 'same-origin', path = list } = {}) {
    const csrfmiddlewaretoken = findCsrfToken(await browser.get(list, { headers }))
    const form = new URLSearchParams({ csrfmiddlewaretoken })
    for (const [name, value] of fields) form.append(name, value)
    const mark = query === '' ? '?_bulk=' : `${query}&_bulk=`
    return browser.request('POST', path + mark, {
      body: String(form),
      headers: {
        ...headers,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': origin,
      },
    })
  }

  const select = (...names: Parameters<typeof pathOf>[0][]): Fields => names.map(name => ['_selected', pathOf(name)])
  async function confirm(action: string, fields: Fields, query = '') {
    const page = await send(query, [['_bulk', action], ...fields])
    assert.equal(page.status, 200)
    return toReadableText(page.text)
  }
  const run = (action: string, fields: Fields, query = '', options = {}) =>
    send(query, [['_bulk', action], ['_confirmed', '1'], ...fields], options)

  // Sends the form of the page again and again, as a person does without the script.
  async function finish(page: TestResponse): Promise<number> {
    let parts = 1
    for (let response = page; response.status === 200; parts++) {
      response = await send('?search=row-', readHidden(response))
    }
    return parts
  }

  const readHidden = ({ text }: TestResponse): Fields =>
    [...toReadableText(text).matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
      .map(([, name, value]) => [name!, value!] as const)
      .filter(([name]) => name !== 'csrfmiddlewaretoken')

  const listNames = async (query = '') =>
    (await browser.get(list + query)).json().results.map(({ username }: { username: string }) => username)

  test('SVC-7: the list offers its actions, and the next page names the selected objects and counts all', async () => {
    const page = await open('?is_staff=true')
    assert.match(
      page,
      /<form method="post" action="\/admin\/users\/\?is_staff=true&_bulk=" data-bulk autocomplete="off">/,
    )
    const buttons = [...page.matchAll(/<button name="_bulk" value="([\w-]+)"/g)].map(([, name]) => name)
    assert.deepEqual(buttons, ['deactivate', 'activate', 'add-to-group', 'delete'])
    const next = await confirm('deactivate', select('stan', 'ann'), '?is_staff=true')
    assert.match(next, /<h1[^>]*>Deactivate: Users<\/h1>/)
    // A selection may contain objects that are not on this page.
    assert.match(
      next,
      /The selected objects: 2.*<li><bdi>stan<\/bdi><\/li><li><bdi>ann<\/bdi><\/li><\/ul>.*All that match: 3/s,
    )
    assert.match(next, /method="post" action="\/admin\/users\/\?is_staff=true&_bulk="/)
  })

  test('SVC-7: the form keeps the page of the list; without a selection, the next page offers all of that page', async () => {
    for (let index = 10; index < 35; index++) await service().createUser(`row-${index}`)
    const query = '?search=row-&page=2'
    assert.match(await open(query), /action="\/admin\/users\/\?search=row-&page=2&_bulk="/)
    for (const _ of ['first', 'repeated']) {
      const { results } = (await browser.get(list + query)).json()
      const next = await confirm('delete', [['_selected', `${list}${results[4].id}/`]], query)
      assert.match(next, /value="" required checked> The selected objects: 1.*<bdi>row-34<\/bdi>.*All that match: 25/s)
      assert.match(next, new RegExp(`name="_selected" value="${results[4].id}/">`))
    }
    const next = await confirm('delete', [], query)
    assert.match(next, /value="" required > All on this page: 5.*<bdi>row-30<\/bdi>.*All that match: 25/s)
    assert.match(next, /name="_selected" value="(?:\d+\/ ){4}\d+\/">/)
  })

  test('SVC-7: an action changes the selected objects, and leads back to the list with a notice', async () => {
    const done = await run('deactivate', select('stan', 'sam'), '?is_staff=true')
    assert.deepEqual([done.status, done.headers.location], [303, `${list}?is_staff=true`])
    assert.deepEqual(await listNames('?is_active=false'), ['sam', 'stan'])
    assert.match(await open('?is_staff=true'), /role="status"[^>]*>“Deactivate” was done for 2 users\.</)
  })

  test('SVC-7: an action is for all objects that match, on all pages', async () => {
    for (let index = 10; index < 40; index++) await service().createUser(`row-${index}`)
    const done = await run('delete', [['_all', '1']], '?search=row-&page=2')
    assert.deepEqual([done.status, done.headers.location], [303, `${list}?search=row-`])
    assert.match(await open('?search=row-'), /role="status"[^>]*>30 users were deleted\.</)
    assert.deepEqual(await listNames(), ['ann', 'pam', 'root', 'sam', 'stan'])
  })

  test('SVC-7: without a script, a button opens another page of the list with the selection', async () => {
    await insertUsers(service(), 'row', 30)
    const first = await open('?search=row-')
    const [, action] = /<button name="_keep" value="1" formaction="([^"]*)"/.exec(first)!
    assert.match(action!, /^\/admin\/users\/\?search=row-&page=2&_bulk=$/)
    const paths = [...first.matchAll(/name="_selected" value="([^"]*)"/g)].map(([, path]) => path!)
    const second = toReadableText(
      (
        await send(action!.slice(list.length).replace('&_bulk=', ''), [
          ['_keep', '1'],
          ['_bulk', ''],
          ['_selected', paths[0]!],
          ['_selected', paths[1]!],
        ])
      ).text,
    )
    assert.match(second, /21(?:–|&ndash;)30 of 30/)
    assert.match(second, new RegExp(`<input type="hidden" name="_selected" value="${paths[0]} ${paths[1]}" data-kept>`))
    assert.match(second, /2 on other pages/)
    const third = /name="_selected" value="([^"]*)" aria-label="row-\d+"/.exec(second)![1]!
    // Back on the first page, the two are checked, and the one of the second page is kept.
    const back = toReadableText(
      (
        await send('?search=row-', [
          ['_keep', '1'],
          ['_selected', `${paths[0]} ${paths[1]}`],
          ['_selected', third],
        ])
      ).text,
    )
    assert.equal([...back.matchAll(/name="_selected"[^>]* checked/g)].length, 2)
    assert.ok(back.includes(`value="${third}" data-kept`))
    const next = await confirm('deactivate', [['_selected', `${paths[0]} ${third}`]], '?search=row-')
    assert.match(next, /The selected objects: 2.*<bdi>row-\d+<\/bdi><\/li><li><bdi>row-\d+<\/bdi>/s)
    const done = await run('deactivate', [['_selected', `${paths[0]} ${third}`]], '?search=row-')
    assert.equal(done.status, 303)
    assert.match(await open('?search=row-'), /“Deactivate” was done for 2 users/)
  })

  test('SVC-7: one field of several objects gets the same value, with the checks of each', async () => {
    const page = await open()
    const [, edits] = /<optgroup label="Edit a field">(.*?)<\/optgroup>/.exec(page)!
    // Not the name, secrets, what the object has actions for, or lists.
    assert.deepEqual(
      [...edits!.matchAll(/value="([\w.]+)">([^<]*)/g)].map(([, name, label]) => [name, label]),
      [
        ['edit.email', 'Edit Email'],
        ['edit.is_staff', 'Edit Staff'],
        ['edit.is_superuser', 'Edit Superuser'],
      ],
    )
    const next = await confirm('edit.email', select('ann', 'sam'))
    assert.match(next, /<h1[^>]*>Edit Email: Users<\/h1>.*name="email"/s)
    const done = await run('edit.email', [...select('ann', 'sam'), ['email', 'both@example.org']])
    assert.equal(done.status, 303)
    assert.match(await open(), /“Edit Email” was done for 2 users/)
    const emails = async () =>
      (await browser.get(list))
        .json()
        .results.flatMap(({ username, email }: Record<string, string>) =>
          ['ann', 'sam'].includes(username!) ? [email] : [],
        )
    assert.deepEqual(await emails(), ['both@example.org', 'both@example.org'])
    await run('edit.email', [...select('ann', 'sam'), ['email', 'wrong']])
    assert.match(await open(), /was done for 0 of 2 users\..*Refused: 2.*2 × .*Enter a valid email address/s)
    assert.deepEqual(await emails(), ['both@example.org', 'both@example.org'])
    await run('edit.is_staff', select('stan'))
    assert.equal((await browser.get(pathOf('stan'))).json().is_staff, false)
    await run('edit.is_staff', [...select('stan'), ['is_staff', 'true']])
    assert.equal((await browser.get(pathOf('stan'))).json().is_staff, true)
    assert.equal((await run('edit.password', [...select('ann'), ['password', 'x']])).status, 404)
    assert.equal((await run('edit.id', [...select('ann'), ['id', '9']])).status, 404)
  })

  test('SVC-7: several users join a group, and keep their other groups', async () => {
    const next = await confirm('add-to-group', select('ann'))
    assert.match(next, /data-field="groups"/)
    await run('add-to-group', [...select('ann', 'stan'), ['groups', String(people.editors)]])
    const groupsOf = async (name: 'ann' | 'stan') => (await browser.get(pathOf(name))).json().groups
    assert.deepEqual(await groupsOf('ann'), [people.editors, people.readers])
    assert.deepEqual(await groupsOf('stan'), [people.editors])
  })

  test('SVC-7: an action without the value that it asks for is an error at the field, and the choice stays', async () => {
    for (const groups of [[], [['groups', '']]] as const) {
      const rejected = await run('add-to-group', [...select('stan'), ['_all', '1'], ...groups], '?is_staff=true')
      assert.equal(rejected.status, 400)
      const page = toReadableText(rejected.text)
      assert.match(page, /<h1[^>]*>Add to group: Users<\/h1>/)
      assert.match(page, /aria-invalid="true".*id="bulk-groups-errors" ><li>This field is required\.<\/li>/s)
      assert.match(page, new RegExp(`name="_selected" value="${people.stan.id}/"`))
      assert.match(page, /value="1" required checked> All that match: 3/)
      assert.match(page, /href="\/admin\/users\/\?is_staff=true">Cancel/)
    }
    assert.deepEqual((await browser.get(pathOf('stan'))).json().groups, [])
  })

  test('SVC-7: objects that refuse an action stay, and the notice says why', async () => {
    await run('delete', [
      ...select('root', 'ann'),
      ['_selected', '/admin/groups/1/'],
      ['_selected', '/snippet/snippets/1/'],
      ['_selected', '999999/'],
    ])
    assert.deepEqual(await listNames(), ['pam', 'root', 'sam', 'stan'])
    const page = await open()
    assert.match(page, /Deleted: 1 of 5 users\.<br>Refused: 4\.<br>3 × Not found\. \(first: \/admin\/groups\/1\/\)<br>/)
    assert.match(page, new RegExp(`<br>1 × [^<]*superuser[^<]* \\(first: ${pathOf('root')}\\)</p>`))
  })

  test('SVC-7: the page that confirms a deletion counts what goes with the objects, with one statement for each table', async () => {
    for (let index = 10; index < 35; index++) {
      const { id, key } = await service().createUser(`row-${index}`)
      await service().client.post('/snippet/snippets/', { token: key, json: { code: 'x' } })
      await runInTransaction(service().services, kysely =>
        kysely.insertInto('user_groups').values({ user_id: id, group_id: people.readers }).execute(),
      )
    }
    const { results } = (await browser.get(`${list}?search=row-`)).json()
    const selected = results.slice(0, 3).map(({ id }: { id: number }) => ['_selected', `${id}/`] as const)
    const start = service().statements.length
    const page = await confirm('delete', selected, '?search=row-')
    const counting = service()
      .statements.slice(start)
      .filter(sql => /count\(\*\) as count from \(select 1/.test(sql))
    const tables = counting.map(sql => /from "?(\w+)"? where/.exec(sql)?.[1])
    assert.equal(tables.filter(table => table === 'user_groups').length, 2, tables.join())
    const parts = page.split('All that match: 25')
    assert.equal(parts.length, 2)
    for (const [index, count] of [3, 25].entries())
      assert.match(
        parts[index]!,
        new RegExp(`This also deletes:.*<li>Snippets: ${count}</li>.*<li>User groups: ${count}</li>`, 's'),
      )
    assert.doesNotMatch(await confirm('deactivate', selected, '?search=row-'), /This also deletes/)
  })

  test('SVC-7: a thousand selected rows fit into the forms, and an action for many objects runs in parts', async () => {
    await insertUsers(service(), 'row', 1000)
    const ids = (await service().services.database.kysely.selectFrom('users').select('id').orderBy('id').execute()) as {
      readonly id: number
    }[]
    const paths = ids.filter(({ id }) => id > people.ann.id).map(({ id }) => `${list}${id}/`)
    assert.equal(paths.length, 1000)
    const selected = paths.map(path => ['_selected', path] as const)
    assert.match(await confirm('deactivate', selected, '?search=row-'), /The selected objects: 1000/)
    const first = await run('deactivate', selected, '?search=row-')
    assert.equal(first.status, 200)
    assert.match(first.text, /500 of 1000 are done\..*<progress value="500" max="1000"/s)
    assert.match(toReadableText(first.text), /<nav[^>]*>.*Home.*Administration.*Users.*Deactivate: Users/s)
    assert.match(toReadableText(first.text), /data-continue="\/admin\/users\/\?search=row-"/)
    assert.equal((await browser.get(`${list}?is_active=false`)).json().count, 500)
    assert.equal(await finish(first), 2)
    assert.match(await open('?search=row-'), /role="status"[^>]*>“Deactivate” was done for 1000 users\.</)
    assert.equal((await browser.get(`${list}?is_active=false`)).json().count, 1000)
  })

  test('SVC-7: a part with objects that refuse changes the others, and the last notice counts all parts', async () => {
    await insertUsers(service(), 'row', 600)
    await runInTransaction(service().services, kysely =>
      kysely.updateTable('users').set({ username: 'row-root' }).where('id', '=', people.root.id).execute(),
    )
    const first = await run('delete', [['_all', '1']], '?search=row-')
    assert.equal(await finish(first), 2)
    assert.match(await open(), /Deleted: 600 of 601 users\.<br>Refused: 1\.<br>1 × [^<]*superuser/)
    assert.deepEqual(await listNames(), ['ann', 'pam', 'row-root', 'sam', 'stan'])
  })

  test('SVC-7: an action for many objects stops between its parts, and the notice says what was not done', async () => {
    await insertUsers(service(), 'row', 520)
    const first = await run('delete', [['_all', '1']], '?search=row-&page=2')
    const text = toReadableText(first.text)
    assert.match(text, /500 of 520 are done\..*If you stop, 20 stay as they are\./s)
    assert.match(text, /<button name="_stop" value="1">Stop<\/button>/)
    const stopped = await send('?search=row-&page=2', [...readHidden(first), ['_stop', '1']])
    assert.deepEqual([stopped.status, stopped.headers.location], [303, `${list}?search=row-`])
    assert.match(
      await open('?search=row-'),
      /role="status"[^>]*>Deleted: 500 of 520 users\.<br>Stopped: 20 are as they were\.</,
    )
    assert.equal((await browser.get(`${list}?search=row-`)).json().count, 20)
    const notice = (value: string) =>
      browser.get(list, { headers: { ...headers, cookie: `${browser.header.cookie}; notice=${value}` } })
    for (const value of ['bulk-1-0-W10:delete:x', 'bulk-1-0-W10:delete:-1', 'bulk-1-0-W10:delete:1e9'])
      assert.match((await notice(value)).text, /1 user was deleted\.<\/p>/, value)
  })

  test('AUD-1: each changed object is an event of the audit log, with its values', async () => {
    await run('deactivate', select('stan', 'ann', 'sam'))
    await run('delete', select('sam'))
    const { results } = (await browser.get('/admin/audit-log/')).json()
    type Event = Readonly<Record<'event' | 'target' | 'user' | 'object_name', string>>
    const describe = ({ event, target, user, object_name }: Event) => [event, target, user, object_name].join()
    const changed = (name: string) => `account changed,PATCH ${list},root,${name}`
    assert.deepEqual(
      results.slice(0, 4).map(describe).toSorted(),
      [...['ann', 'sam', 'stan'].map(changed), `account changed,DELETE ${list},root,sam`].toSorted(),
    )
    assert.deepEqual(results[1].changes.is_active, { old: true, new: false })
    assert.match(await open('', `${pathOf('ann')}`), /id="history"/)
  })

  test('AUTH-SCH-4: a form of another site, without a token, or of a caller without the right changes nothing', async () => {
    assert.notEqual((await run('delete', select('ann'), '', { origin: 'cross-site' })).status, 303)
    const form = { _bulk: 'delete', _confirmed: '1', _selected: pathOf('ann') }
    const withoutToken = { form, headers: { ...headers, 'sec-fetch-site': 'same-origin' } }
    await browser.request('POST', `${list}?_bulk=`, withoutToken)
    const anonymous = await service().client.post(`${list}?_bulk=`, withoutToken)
    assert.equal(anonymous.status, 401)
    await browser.logOut()
    await browser.logIn('ann')
    assert.equal((await browser.request('POST', `${list}?_bulk=`, withoutToken)).status, 403)
    assert.ok(await service().services.accounts.users.find('ann'))
  })

  test('SVC-7: a person chooses among several actions; a form without a choice is 400 and keeps the selection', async () => {
    assert.match(
      await open(),
      /<select name="_bulk" aria-label="With the selected objects:" required><option value="">More actions…<\/option><optgroup label="Edit a field"><option value="edit\.email">/,
    )
    for (const confirmed of [[], [['_confirmed', '1']]] as const) {
      const rejected = await send('?is_staff=true', [['_bulk', ''], ...confirmed, ...select('stan', 'sam')])
      assert.equal(rejected.status, 400)
      const page = toReadableText(rejected.text)
      assert.match(
        page,
        /<h1[^>]*>Users<\/h1>.*Choose an action for the selected objects\. Nothing has been changed\./s,
      )
      assert.match(page, /<form method="post" action="\/admin\/users\/\?is_staff=true&_bulk=">/)
      assert.match(page, new RegExp(`name="_selected" value="${pathOf('stan')} ${pathOf('sam')}"`))
    }
    const joined = [['_selected', `${pathOf('stan')} ${pathOf('sam')}`]] as const
    assert.match(await confirm('deactivate', joined, '?is_staff=true'), /The selected objects: 2/)
    assert.deepEqual(await listNames('?is_active=false'), [])
  })

  test('SVC-7: the actions of a list are buttons, without a select if there are no others', async () => {
    const page = await open('', '/admin/sessions/')
    assert.match(page, /<button name="_bulk" value="delete" formnovalidate class="danger">Delete…<\/button>/)
    assert.doesNotMatch(page, /<select name="_bulk"/)
    const next = await send('', [['_bulk', 'delete']], { path: '/admin/sessions/' })
    assert.match(toReadableText(next.text), /<h1[^>]*>Delete: Sessions<\/h1>/)
  })

  test('SVC-7: an action that the list does not offer is 404', async () => {
    assert.equal((await run('explode', select('ann'))).status, 404)
    assert.equal((await send('', [['_bulk', 'explode'], ...select('ann')])).status, 404)
  })
})
