// The highlighted code of a snippet, at its own URL (RES-SNIP-r8, RES-GAP-b3).

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
  const readHighlight = async (path: string) => (await service().client.get(`${path}highlight/`)).text

  test('RES-GAP-b3, RES-SNIP-r8: highlighted code is not in the JSON, but a separate page that anyone can read', async () => {
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

  test('RES-SNIP-r8: highlighted code is stored with the snippet', async () => {
    const { services } = service()
    const path = await create({ code: 'stored = True' })
    const id = Number(path.split('/')[2])
    const query = sql<{ highlighted: string }>`select highlighted from snippets where id = ${id}`
    const { rows } = await query.execute(services.database.kysely)
    assert.equal(rows[0]!.highlighted, await readHighlight(path))
  })

  test('RES-SNIP-r8: each save highlights again with the current code, language, style, linenos and title', async () => {
    const { client } = service()
    const path = await create({ code: 'def f(): pass', title: '' })
    let page = await readHighlight(path)
    assert.match(page, /<title>Snippet<\/title>/)
    for (const [change, pattern] of [
      [{ title: 'New title' }, /<title>New title<\/title>/],
      [{ code: 'def g(): pass' }, />g</],
      [{ linenos: true }, /<table>/],
      [{ language: 'text' }, /def g\(\): pass/],
      [{ style: 'github-dark' }, /background:#24292e/],
    ] as const) {
      const response = await client.patch(path, { token, json: change })
      assert.equal(response.status, 200, response.text)
      const next = await readHighlight(path)
      assert.notEqual(next, page, JSON.stringify(change))
      assert.match(next, pattern)
      page = next
    }
    assert.match(page, /<title>New title<\/title>/)
    await client.put(path, { token, json: { code: 'last' } })
    assert.match(await readHighlight(path), /<title>New title<\/title>.*<table>.*last/s)
  })

  test('RES-SNIP-r5: with linenos, a table shows line numbers next to the code', async () => {
    const numbered = await readHighlight(await create({ code: 'a\nb\nc\n', linenos: true }))
    assert.match(numbered, /<table><tr><td class="linenos" aria-hidden="true"><pre>1\n2\n3<\/pre><\/td><td><pre>/)
    assert.doesNotMatch(await readHighlight(await create({ code: 'a\nb\nc\n' })), /<table|linenos" /)
  })

  test('RES-SNIP-r6: the language determines the highlighting', async () => {
    const [asPython, asText] = [
      await readHighlight(await create({ code: 'import os', language: 'python' })),
      await readHighlight(await create({ code: 'import os', language: 'text' })),
    ]
    assert.match(asPython, /<span class="[^"]+">import<\/span>/)
    assert.match(asText, /<code>import os\n<\/code>/)
    const alias = await readHighlight(await create({ code: 'import os', language: 'py3' }))
    assert.equal(alias, asPython)
  })

  test('RES-SNIP-r8: HTML in the title and the code is escaped', async () => {
    const hostile = '</title></style></code><script>alert(1)</script><img src=x onerror=a()>&lt;'
    for (const language of ['html', 'text']) {
      const page = await readHighlight(await create({ code: hostile, title: hostile, language, linenos: true }))
      assert.doesNotMatch(page, /<script|<img/)
      assert.equal(page.match(/<\/(?:title|style|code)>/g)?.length, 3)
    }
  })

  test('RES-GAP-b3: only HTML is available, others are 406; errors are HTML only for browsers, and JSON otherwise', async () => {
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
      const jsonResponse = await client.get(`/snippets/${id}/highlight/`)
      assert.deepEqual([jsonResponse.status, jsonResponse.json()], [404, { detail: 'Not found.' }])
    }
    const refused = await client.post(`${path}highlight/`, { token, json: {} })
    assert.deepEqual([refused.status, refused.json()], [405, { detail: "Method 'POST' not allowed." }])
  })
})
