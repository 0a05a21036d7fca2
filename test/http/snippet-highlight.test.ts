// The highlighted form of a snippet, a page of its own (RES-SNIP-r8, RES-GAP-b3).

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sql } from 'kysely'
import { onEveryDatabase } from '../support/service.ts'

onEveryDatabase({ profiles: ['snippets'] }, service => {
  let token: string

  before(async () => {
    token = (await service().createUser('ann')).key
  })

  const create = async (json: object) => {
    const response = await service().client.post('/snippets/', { token, json })
    assert.equal(response.status, 201, response.text)
    return new URL(response.headers.location!).pathname
  }
  const pageOf = async (path: string) => (await service().client.get(`${path}highlight/`)).text

  test('RES-GAP-b3, RES-SNIP-r8: it is not in the JSON, and is a page of its own for anyone', async () => {
    const { client } = service()
    const path = await create({ code: 'x = 1', title: 'My page' })
    assert.deepEqual(Object.keys((await client.get(path)).json()), [
      'id',
      'owner',
      'title',
      'code',
      'linenos',
      'language',
      'style',
    ])
    const response = await client.get(`${path}highlight/`)
    assert.equal(response.status, 200)
    assert.equal(response.headers['content-type'], 'text/html; charset=utf-8')
    const policy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
    assert.equal(response.headers['content-security-policy'], policy)
    assert.equal(response.headers['x-frame-options'], 'SAMEORIGIN')
    assert.match(response.text, /^<!DOCTYPE html>\n<html lang="en">\n<head>.*<\/head>\n<body>.*<\/body>\n<\/html>\n$/s)
    assert.match(response.text, /<title>My page<\/title>/)
  })

  test('RES-SNIP-r8: it is stored with the snippet', async () => {
    const { parts } = service()
    const path = await create({ code: 'stored = True' })
    const id = Number(path.split('/')[2])
    const query = sql<{ highlighted: string }>`select highlighted from snippets where id = ${id}`
    const { rows } = await query.execute(parts.database.kysely)
    assert.equal(rows[0]!.highlighted, await pageOf(path))
  })

  test('RES-SNIP-r8: each save makes it anew from code, language, style, linenos and title', async () => {
    const { client } = service()
    const path = await create({ code: 'def f(): pass', title: '' })
    let page = await pageOf(path)
    assert.match(page, /<title>Snippet<\/title>/)
    for (const [change, trace] of [
      [{ title: 'New title' }, /<title>New title<\/title>/],
      [{ code: 'def g(): pass' }, />g</],
      [{ linenos: true }, /<table>/],
      [{ language: 'text' }, /def g\(\): pass/],
      [{ style: 'github-dark' }, /background:#24292e/],
    ] as const) {
      const response = await client.patch(path, { token, json: change })
      assert.equal(response.status, 200, response.text)
      const next = await pageOf(path)
      assert.notEqual(next, page, JSON.stringify(change))
      assert.match(next, trace)
      page = next
    }
    assert.match(page, /<title>New title<\/title>/)
    await client.put(path, { token, json: { code: 'last' } })
    assert.match(await pageOf(path), /<title>New title<\/title>.*<table>.*last/s)
  })

  test('RES-SNIP-r5: with linenos, the line numbers stand in a table beside the code', async () => {
    const numbered = await pageOf(await create({ code: 'a\nb\nc\n', linenos: true }))
    assert.match(numbered, /<table><tr><td class="linenos" aria-hidden="true"><pre>1\n2\n3<\/pre><\/td><td><pre>/)
    assert.doesNotMatch(await pageOf(await create({ code: 'a\nb\nc\n' })), /<table|linenos" /)
  })

  test('RES-SNIP-r6: the language decides what is marked', async () => {
    const [asPython, asText] = [
      await pageOf(await create({ code: 'import os', language: 'python' })),
      await pageOf(await create({ code: 'import os', language: 'text' })),
    ]
    assert.match(asPython, /<span class="[^"]+">import<\/span>/)
    assert.match(asText, /<code>import os\n<\/code>/)
    const alias = await pageOf(await create({ code: 'import os', language: 'py3' }))
    assert.equal(alias, asPython)
  })

  test('RES-SNIP-r8: a hostile title and hostile code stay text', async () => {
    const hostile = '</title></style></code><script>alert(1)</script><img src=x onerror=a()>&lt;'
    for (const language of ['html', 'text']) {
      const page = await pageOf(await create({ code: hostile, title: hostile, language, linenos: true }))
      assert.doesNotMatch(page, /<script|<img/)
      assert.equal(page.match(/<\/(?:title|style|code)>/g)?.length, 3)
    }
  })

  test('RES-GAP-b3: it is HTML or nothing: other formats are 406, and errors are JSON but for a browser', async () => {
    const { client } = service()
    const path = await create({ code: 'x' })
    const html = await client.get(`${path}highlight/`, { headers: { accept: 'text/html' } })
    assert.equal(html.headers['content-type'], 'text/html; charset=utf-8')
    const json = await client.get(`${path}highlight/`, { headers: { accept: 'application/json' } })
    assert.equal(json.status, 406)
    assert.deepEqual(json.json(), { detail: 'Could not satisfy the request Accept header.', available: ['text/html'] })
    for (const id of ['999999', '0', 'x', '9007199254740993']) {
      const missing = await client.get(`/snippets/${id}/highlight/`, { headers: { accept: 'text/html' } })
      assert.deepEqual([missing.status, missing.headers['content-type']], [404, 'text/html; charset=utf-8'])
      const plain = await client.get(`/snippets/${id}/highlight/`)
      assert.deepEqual([plain.status, plain.json()], [404, { detail: 'Not found.' }])
    }
    const refused = await client.post(`${path}highlight/`, { token, json: {} })
    assert.deepEqual([refused.status, refused.json()], [405, { detail: "Method 'POST' not allowed." }])
  })
})
