// The values that the fields of a snippet accept, and the stored code (RES-SNIP, RES-GAP-b2, RES-GAP-b4).

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import { snippets } from 'resource-api/snippets'
import { multipart } from '../support/multipart.ts'
import { onEveryDatabase } from '../support/service.ts'
import { dumpTables } from '../support/tables.ts'

onEveryDatabase({ profiles: ['snippets'] }, service => {
  let token: string

  before(async () => {
    token = (await service().createUser('ann')).key
  })

  const post = (json: object) => service().client.post('/snippets/', { token, json })

  async function checkRefused(json: object, errors: object) {
    const dumpBefore = await dumpTables(service().services.database)
    const response = await post(json)
    assert.deepEqual([response.status, response.json()], [400, errors], JSON.stringify(json))
    assert.equal(await dumpTables(service().services.database), dumpBefore)
  }

  test('RES-SNIP-r4: code is returned character for character', async () => {
    for (const code of [
      '    indented',
      '\tdef f():\n\t\tpass\n\n\n',
      'a\r\nb\rc\n',
      ' \n.',
      '😀 𝒳 \u{10ffff}',
      '\ufeffbom',
      'e\u0301 \u00a0\u2028\u2029 \u200b',
      '</script><!-- "\\u0000" \\ / \x7f\x01',
      '0',
    ]) {
      const created = await post({ code })
      assert.deepEqual([created.status, created.json().code], [201, code])
      const url = new URL(created.headers.location!).pathname
      assert.equal((await service().client.get(url)).json().code, code)
      const list = (
        await service().client.get('/snippets/', { headers: { accept: 'application/json; indent=2' } })
      ).json()
      assert.equal(list.at(-1).code, code)
    }
  })

  test('RES-SNIP-r4, ERR-MSG-r4, ERR-MSG-r5: code is a required text', async () => {
    await checkRefused({}, { code: ['This field is required.'] })
    for (const code of ['', ' ', '\n', '\t \r\n', '\u00a0\u2028', '\ufeff'])
      await checkRefused({ code }, { code: ['This field may not be blank.'] })
    await checkRefused({ code: null }, { code: ['This field may not be null.'] })
    await checkRefused({ code: ['a'] }, { code: ['Not a valid string.'] })
    await checkRefused({ code: 'a\0' }, { code: ['Null characters are not allowed.'] })
    await checkRefused({ code: '\udfff' }, { code: ['Not a valid string.'] })
  })

  test('RES-GAP-b4, RES-SNIP-r3: a title is optional, may be blank, and has at most 100 characters', async () => {
    const longest = '😀'.repeat(100)
    for (const title of ['', longest]) assert.equal((await post({ code: 'a', title })).json().title, title)
    assert.equal((await post({ code: 'a', title: ' padded ' })).json().title, 'padded')
    await checkRefused(
      { code: 'a', title: `${longest}x` },
      { title: ['Ensure this field has no more than 100 characters.'] },
    )
    await checkRefused({ code: 'a', title: null }, { title: ['This field may not be null.'] })
    await checkRefused({ code: 'a', title: 'a\0' }, { title: ['Null characters are not allowed.'] })
  })

  test('RES-SNIP-r5, RES-GAP-b4: linenos is true or false', async () => {
    for (const [input, stored] of [
      [true, true],
      ['on', true],
      [1, true],
      ['false', false],
      [0, false],
    ])
      assert.equal((await post({ code: 'a', linenos: input })).json().linenos, stored)
    for (const linenos of ['maybe', 2, [], {}])
      await checkRefused({ code: 'a', linenos }, { linenos: ['Must be a valid boolean.'] })
  })

  test('RES-GAP-b2, RES-SNIP-r6: language accepts ids, aliases and Pygments names, and stores them unchanged', async () => {
    const ids = ['python', 'typescript', 'c++', 'text', 'vue']
    const aliases = ['py', 'ts', 'js', 'c#', 'plaintext']
    const pygments = ['python3', 'golang', 'html+django', 'objective-c', 'mysql', '🔥']
    for (const language of [...ids, ...aliases, ...pygments]) {
      const response = await post({ code: 'a', language })
      assert.deepEqual([response.status, response.json().language], [201, language], response.text)
    }
  })

  test('RES-GAP-b2, RES-SNIP-r7: style accepts themes and Pygments names, and stores them unchanged', async () => {
    for (const style of ['github-dark', 'nord', 'monokai', 'default', 'friendly', 'rainbow_dash', 'algol_nu']) {
      const response = await post({ code: 'a', style })
      assert.deepEqual([response.status, response.json().style], [201, style], response.text)
    }
  })

  test('RES-GAP-b2: any other language or style is not a valid choice', async () => {
    for (const value of ['zz', 'Python', ' python', '__proto__', 'constructor', 'toString', '<b>', 'a\0b', ''])
      for (const field of ['language', 'style'])
        await checkRefused({ code: 'a', [field]: value }, { [field]: [`"${value}" is not a valid choice.`] })
    await checkRefused({ code: 'a', language: null }, { language: ['This field may not be null.'] })
    await checkRefused({ code: 'a', style: ['nord'] }, { style: ['"["nord"]" is not a valid choice.'] })
  })

  test('RES-GAP-b4: JSON, form and multipart bodies create the same row', async () => {
    const { client, services } = service()
    const fields = { title: 'T & é', code: ' a=1;\r\n\tb="😀%41+"\r\n', language: 'ts', style: 'nord' }
    const { headers, body } = multipart({ ...fields, linenos: 'on' })
    const responses = [
      await post({ ...fields, linenos: true }),
      await client.post('/snippets/', { token, form: { ...fields, linenos: 'on' } }),
      await client.post('/snippets/', { headers: { ...headers, authorization: `Token ${token}` }, body }),
    ]
    for (const response of responses) assert.equal(response.status, 201, response.text)
    const { rows } = await sql<Record<string, unknown>>`select * from snippets order by id desc limit 3`.execute(
      services.database.kysely,
    )
    const [last, ...otherRows] = rows.map(({ id: _id, created: _created, ...columns }) => columns)
    assert.equal(last!.code, fields.code)
    for (const row of otherRows) assert.deepEqual(row, last)
  })

  test('RES-GAP-b4: an unchecked checkbox of a form is false', async () => {
    const { client } = service()
    const { headers } = await post({ code: 'a', linenos: true, title: 'kept' })
    const response = await client.put(new URL(headers.location!).pathname, { token, form: { code: 'b' } })
    const { linenos, title } = response.json()
    assert.deepEqual([response.status, linenos, title], [200, false, 'kept'])
  })

  test('RES-SNIP-r4: a form that is not valid UTF-8 is refused, because its text would be lost', async () => {
    const { client, services } = service()
    const dumpBefore = await dumpTables(services.database)
    const headers = { 'content-type': 'application/x-www-form-urlencoded', authorization: `Token ${token}` }
    for (const body of ['code=%ED%A0%80', 'code=a%FF', 'title=%C0%AF&code=a', Buffer.from('code=\xff', 'latin1')]) {
      const response = await client.post('/snippets/', { headers, body })
      assert.deepEqual(
        [response.status, response.json()],
        [400, { detail: 'Form parse error - the body is not valid UTF-8' }],
      )
    }
    const multipartForm = multipart({ code: 'a?b' })
    const bytes = Buffer.from(multipartForm.body.toString().replace('a?b', 'a\xffb'), 'latin1')
    const options = { headers: { ...multipartForm.headers, authorization: `Token ${token}` }, body: bytes }
    assert.deepEqual((await client.post('/snippets/', options)).json(), {
      detail: 'Multipart form parse error - the body is not valid UTF-8',
    })
    assert.equal(await dumpTables(services.database), dumpBefore)
  })
})

suite('codeLimit', () => {
  onEveryDatabase({ profiles: [snippets({ codeLimit: 20 })] }, service => {
    test('RES-SNIP-r4: the setting limits the length of code in characters', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      const longest = '😀'.repeat(20)
      assert.equal((await client.post('/snippets/', { token, json: { code: longest } })).json().code, longest)
      const refused = await client.post('/snippets/', { token, json: { code: `${longest}\n` } })
      assert.equal(refused.status, 400)
      assert.deepEqual(refused.json(), { code: ['Ensure this field has no more than 20 characters.'] })
    })
  })

  onEveryDatabase({ profiles: [snippets({ codeLimit: 1_500_000 })] }, service => {
    test('RES-SNIP-r4: the body size limit allows the longest code', async () => {
      const { client, createUser } = service()
      const { key: token } = await createUser('ann')
      const code = '😀'.repeat(1_500_000)
      assert.equal((await client.post('/snippets/', { token, json: { code } })).json().code, code)
    })
  })
})
