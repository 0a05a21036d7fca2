// The values that fields of users and groups accept (RES-GAP-b1).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { onEveryDatabase } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

const invalidName = 'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.'
const invalidEmail = 'Enter a valid email address.'
const tooLong = (characters: number) => `Ensure this field has no more than ${characters} characters.`

onEveryDatabase({ profiles: ['directory'] }, service => {
  let token: string

  before(async () => {
    token = (await service().createUser('ann')).key
  })

  const post = (url: string, json: object) => service().client.post(url, { token, json })

  async function assertRefused(url: string, json: object, errors: object) {
    const before = await dumpTables(service().services.database)
    const response = await post(url, json)
    assert.deepEqual([response.status, response.json()], [400, errors], JSON.stringify(json))
    assert.equal(await dumpTables(service().services.database), before)
  }

  test('RES-GAP-b1, RES-DUSER-r2: a username has up to 150 letters of any script, digits and @.+-_', async () => {
    for (const username of [
      'a',
      'A.b+c-d_e@f',
      '0',
      'zoë',
      'Ωmega',
      '李雷',
      'मीरा',
      '𝒳'.normalize('NFKC'),
      'é'.repeat(150),
    ]) {
      const response = await post('/users/', { username })
      assert.deepEqual([response.status, response.json().username], [201, username], response.text)
    }
  })

  test('RES-GAP-b1: a username is stored in NFKC form, and its other Unicode forms name the same user', async () => {
    const response = await post('/users/', { username: ' Ｚoe\u0301ﬁ ' })
    assert.equal(response.json().username, 'Zo\u00e9fi')
    const taken = { username: ['A user with that username already exists.'] }
    await assertRefused('/users/', { username: 'Zoe\u0301fi' }, taken)
    await assertRefused('/users/', { username: 'Zoéﬁ' }, taken)
  })

  test('RES-GAP-b1: the length of a username is the length of its NFKC form', async () => {
    const ligature = '\ufdfa' // 18 characters in NFKC, three of them spaces
    const accents = 'a\u0301'.repeat(150)
    assert.equal((await post('/users/', { username: accents })).json().username, 'á'.repeat(150))
    await assertRefused('/users/', { username: 'á'.repeat(151) }, { username: [tooLong(150)] })
    await assertRefused('/users/', { username: 'ﬃ'.repeat(51) }, { username: [tooLong(150)] })
    await assertRefused('/users/', { username: ligature }, { username: [invalidName] })
  })

  test('RES-GAP-b1, ERR-MSG-r4, ERR-MSG-r5: invalid usernames are refused', async () => {
    await assertRefused('/users/', {}, { username: ['This field is required.'] })
    for (const [username, message] of [
      ['', 'This field may not be blank.'],
      [' \t ', 'This field may not be blank.'],
      [null, 'This field may not be null.'],
      ['a b', invalidName],
      ['a/b', invalidName],
      ['a\u200bb', invalidName],
      ['<b>', invalidName],
      ['😀', invalidName],
      ['a\nb', invalidName],
      ['a\0b', 'Null characters are not allowed.'],
      ['\ud800', 'Not a valid string.'],
      [true, 'Not a valid string.'],
      [['a'], 'Not a valid string.'],
      [{ a: 1 }, 'Not a valid string.'],
      ['ann', 'A user with that username already exists.'],
    ] as const)
      await assertRefused('/users/', { username }, { username: [message] })
  })

  test('RES-GAP-b1: usernames that differ only in case or Unicode form are equal, and the stored spelling is kept', async () => {
    const taken = { username: ['A user with that username already exists.'] }
    for (const username of ['ANN', 'Ann', 'ａnn', '𝔸𝕟𝕟']) await assertRefused('/users/', { username }, taken)
    const { client } = service()
    const { url } = (await post('/users/', { username: 'Tomé' })).json()
    const path = new URL(url).pathname
    for (const json of [{ username: 'ANN' }, { username: 'ann' }])
      for (const method of ['PUT', 'PATCH']) {
        const response = await client.request(method, path, { token, json })
        assert.deepEqual([response.status, response.json()], [400, taken])
      }
    for (const username of ['TOMÉ', 'tome\u0301']) {
      const response = await client.patch(path, { token, json: { username } })
      assert.deepEqual([response.status, response.json().username], [200, username.normalize('NFKC')])
    }
    assert.equal((await client.patch(path, { token, json: { email: 't@example.org' } })).status, 200)
    await assertRefused('/users/', { username: 'Tomé' }, taken)
    assert.equal((await client.patch(path, { token, json: { username: 'tomas' } })).status, 200)
    assert.equal((await post('/users/', { username: 'Tomé' })).status, 201)
  })

  test('RES-GAP-b1: one of several concurrent creates of equal usernames succeeds', async () => {
    const names = ['Race', 'race', 'RACE', 'ｒace', 'rAcE']
    const responses = await Promise.all(names.map(username => post('/users/', { username })))
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [201, 400, 400, 400, 400])
  })

  test('RES-GAP-b1, RES-DUSER-r3: an email is optional, may be blank, and has at most 254 characters', async () => {
    const domain = `${'d'.repeat(63)}.${'e'.repeat(63)}.${'f'.repeat(60)}.org`
    const edge = `${'a'.repeat(254 - 1 - domain.length)}@${domain}`
    const emails = ['', 'a@b.org', "o'hara+x@sub.example.co.uk", 'someone@bücher.example', edge]
    for (const [index, email] of emails.entries()) {
      const response = await post('/users/', { username: `mail${index}`, email })
      assert.deepEqual([response.status, response.json().email], [201, email], response.text)
    }
    await assertRefused('/users/', { username: 'x', email: `a${edge}` }, { email: [tooLong(254)] })
  })

  test('RES-GAP-b1: invalid email addresses are refused', async () => {
    for (const email of [
      'a',
      'a@b',
      '@b.org',
      'a@',
      'a b@c.org',
      'a@b..org',
      'a@-b.org',
      'a@b.org\nBcc: x@y.org',
      'a@b.org,c@d.org',
    ])
      await assertRefused('/users/', { username: 'x', email }, { email: [invalidEmail] })
    await assertRefused('/users/', { username: 'x', email: null }, { email: ['This field may not be null.'] })
    await assertRefused('/users/', { username: 'x', email: {} }, { email: ['Not a valid string.'] })
  })

  test('RES-GAP-b1, RES-GROUP-r2: a group needs a unique name of at most 150 characters', async () => {
    const edge = '😀'.repeat(150)
    assert.equal((await post('/groups/', { name: edge })).json().name, edge)
    await assertRefused('/groups/', {}, { name: ['This field is required.'] })
    await assertRefused('/groups/', { name: ' ' }, { name: ['This field may not be blank.'] })
    await assertRefused('/groups/', { name: 'x'.repeat(151) }, { name: [tooLong(150)] })
    await assertRefused('/groups/', { name: edge }, { name: ['group with this name already exists.'] })
  })

  test('RES-GAP-b1: an update to a taken name is refused, and an object may keep its own name', async () => {
    const { client } = service()
    const path = new URL((await post('/groups/', { name: 'mine' })).json().url).pathname
    await post('/groups/', { name: 'theirs' })
    assert.equal((await client.patch(path, { token, json: { name: 'mine' } })).status, 200)
    for (const method of ['PUT', 'PATCH']) {
      const response = await client.request(method, path, { token, json: { name: 'theirs' } })
      assert.deepEqual([response.status, response.json()], [400, { name: ['group with this name already exists.'] }])
    }
  })

  test('RES-GAP-b1, RES-DUSER-r4: groups are given as URLs or paths, stored once each and shown in order', async () => {
    const urls: string[] = []
    for (const name of ['one', 'two']) urls.push((await post('/groups/', { name })).json().url)
    const groups = [urls[1]!, new URL(urls[0]!).pathname, urls[1]!]
    const response = await post('/users/', { username: 'joiner', groups })
    assert.deepEqual([response.status, response.json().groups], [201, urls])
  })

  test('RES-GAP-b1: the response lists every invalid field', async () => {
    const json = { email: 'no', groups: 'all' }
    await assertRefused('/users/', json, {
      username: ['This field is required.'],
      email: [invalidEmail],
      groups: ['Expected a list of items but got type "str".'],
    })
  })

  test('RES-GAP-b1: a body cannot set a password, permissions, a URL or a date', async () => {
    const { client, services } = service()
    const extra = {
      id: 4711,
      url: 'http://evil.example/',
      password: 'open-sesame!',
      is_staff: true,
      is_superuser: true,
      is_active: false,
      date_joined: '2000-01-01T00:00:00Z',
    }
    const response = await post('/users/', { username: 'plain', ...extra })
    assert.deepEqual(Object.keys(response.json()), ['url', 'username', 'email', 'groups'])
    const path = new URL(response.json().url).pathname
    for (const method of ['PUT', 'PATCH'])
      assert.equal((await client.request(method, path, { token, json: { username: 'plain', ...extra } })).status, 200)
    const user = await services.accounts.users.find('plain')
    assert.deepEqual([user?.isStaff, user?.isSuperuser, user?.isActive], [false, false, true])
    assert.equal(await services.accounts.users.verify('plain', 'open-sesame!'), undefined)
    assert.notEqual(path, '/users/4711/')
    assert.doesNotMatch(await dumpTables(services.database), /2000-01-01|open-sesame!/)
  })
})
