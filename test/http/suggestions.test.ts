// The suggestions of the search: pages, objects of the lists that the caller may search, and actions such as "deactivate ann".

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

  const suggest = async (text: string, token = people.root.key) => {
    const query = new URLSearchParams({ q: text, _suggest: '' })
    const response = await service().client.get(`/?${query}`, { token, headers: { accept: 'text/html' } })
    assert.equal(response.status, 200)
    const options = toReadableText(response.text).replace(/<template>.*?<\/template>/, '')
    return [...options.matchAll(/<a role="option"[^>]* href="([^"]*)"><bdi>([^<]*)</g)].map(([, href, name]) => [
      name,
      href,
    ])
  }

  test('SVC-7: suggestions are pages and objects by their names', async () => {
    assert.ok((await suggest('an')).some(([name, href]) => name === 'ann' && href === `/admin/users/${people.ann.id}/`))
    assert.ok((await suggest('grou')).some(([, href]) => href === '/admin/groups/'))
    assert.deepEqual(await suggest('a'), [])
    assert.deepEqual(await suggest('zzzz'), [])
  })

  test('SVC-7: a verb and a name are an action of the objects', async () => {
    const ann = `/admin/users/${people.ann.id}/`
    assert.deepEqual(await suggest('deact ann'), [['Deactivate: ann', `${ann}?action=deactivate`]])
    assert.ok((await suggest('Delete ann')).some(([, href]) => href === `${ann}?delete`))
    const page = await service().client.get(`${ann}?action=deactivate`, {
      token: people.root.key,
      headers: { accept: 'text/html' },
    })
    assert.match(page.text, /Deactivate: ann/)
    const found = await service().client.get('/?q=deactivate+ann', {
      token: people.root.key,
      headers: { accept: 'text/html' },
    })
    assert.match(found.text, /<h2>Actions<\/h2>/)
  })

  test('SVC-7: suggestions follow the rights of the caller', async () => {
    assert.deepEqual(
      (await suggest('deactivate ann', people.ann.key)).filter(([, href]) => href!.startsWith('/admin/')),
      [],
    )
    assert.deepEqual(
      (await suggest('ann', people.ann.key)).filter(([, href]) => href!.startsWith('/admin/')),
      [],
    )
  })

  test('SVC-7: without a text, the search has the objects that the caller has changed last and may still open', async () => {
    const { client } = service()
    const token = people.root.key
    assert.deepEqual(await suggest('', people.ann.key), [])
    const gone = (await client.post('/admin/groups/', { json: { name: 'Gone' }, token })).json().id
    await client.delete(`/admin/groups/${gone}/`, { token })
    for (const { id } of [people.pam, people.ann, people.pam])
      await client.patch(`/admin/users/${id}/`, { json: { email: `${Math.random()}@example.org` }, token })
    const answer = await client.get('/?q=&_suggest=', { token, headers: { accept: 'text/html' } })
    assert.match(answer.text, /^<template><a role="option"[^>]*><bdi><\/bdi> <small>Recently opened by you<\/small>/)
    const recent = [
      ['pam · User', `/admin/users/${people.pam.id}/`],
      ['ann · User', `/admin/users/${people.ann.id}/`],
    ]
    const before = service().statements.length
    assert.deepEqual((await suggest('')).slice(0, 2), recent)
    assert.ok(!(await suggest('')).some(([name]) => name?.startsWith('Gone')))
    assert.ok(service().statements.length - before < 40)
    const page = toReadableText((await client.get('/?q=', { token, headers: { accept: 'text/html' } })).text)
    assert.match(page, /Recently changed by you.*pam · User/s)
    // What others have changed is not theirs.
    assert.deepEqual(await suggest('', people.stan.key), [])
  })
  test('SVC-7: the page of an object names it for the script, and other pages do not', async () => {
    const token = people.root.key
    const read = async (path: string) =>
      (await service().client.get(path, { token, headers: { accept: 'text/html' } })).text
    const user = `/admin/users/${people.ann.id}/`
    assert.match(await read(user), /<data data-opened value="ann · User">/)
    for (const path of [`${user}?delete`, `${user}?action=deactivate`, '/admin/users/', '/admin/users/99999/', '/'])
      assert.doesNotMatch(await read(path), /data-opened/)
  })
})
