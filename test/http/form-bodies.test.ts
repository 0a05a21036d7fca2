// Form bodies (ERR-EXC-r1): every value of a name is read in order, and malformed forms are parse errors.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { HandlerContext } from 'resource-api'
import { startApi, type TestApi } from '../support/own-api.ts'

const echo = ({ requestBody }: HandlerContext) => ({
  status: 200,
  body: requestBody.kind === 'form' ? { form: [...requestBody.form] } : requestBody,
})

for (const [name, start] of [
  ['in the process', {}],
  ['over a socket', { socket: true }],
] as const) {
  suite(`Forms ${name}`, () => {
    let api: TestApi
    before(async () => {
      api = await startApi({ views: { '/echo/': { name: 'Echo', handlers: { POST: echo } } } }, start)
    })
    after(() => api.stop())

    const post = (body: string | Buffer, type: string) =>
      api.client.post('/echo/', { body, headers: { 'content-type': type } })

    test('a form keeps every value of a name, in order', async () => {
      const form = [
        ['a', '1'],
        ['b', ''],
        ['a', ' é+&=%\r\n'],
        ['__proto__', 'x'],
      ] as const
      assert.deepEqual((await api.client.post('/echo/', { form })).json(), { form })
    })

    test('ERR-EXC-r1: a form that is not UTF-8, or has too many fields, is a parse error', async () => {
      for (const body of ['a=%FF', 'a=%ED%A0%80', Buffer.from([0x61, 0x3d, 0xff]), 'a&'.repeat(1001)]) {
        const response = await post(body, 'application/x-www-form-urlencoded')
        assert.equal(response.status, 400)
        assert.match(response.json().detail, /^Form parse error - /)
      }
      assert.equal((await post('a&'.repeat(1000), 'application/x-www-form-urlencoded')).status, 200)
    })

    test('ERR-EXC-r1: a malformed multipart form is a parse error', async () => {
      const part = (head: string, value: string | Buffer) =>
        Buffer.concat([
          Buffer.from(`--x\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
          Buffer.from(value),
          Buffer.from('\r\n--x--\r\n'),
        ])
      const field = part('name="a"', ' é\r\nb ')
      const accepted = await post(field, 'multipart/form-data; boundary=x')
      assert.deepEqual(accepted.json(), { form: [['a', ' é\r\nb ']] })
      for (const [type, body] of [
        ['multipart/form-data', field],
        ['multipart/form-data; boundary=y', field],
        ['multipart/form-data; boundary=x', 'nothing'],
        ['multipart/form-data; boundary=x', field.subarray(0, -9)],
        ['multipart/form-data; boundary=x', part('name="a"; filename="a.txt"', 'a')],
        ['multipart/form-data; boundary=x', part('name="a"', Buffer.from([0xff]))],
        ['multipart/form-data; boundary=x', part('', 'a')],
      ] as const) {
        const response = await post(body, type)
        assert.equal(response.status, 400, `${type} ${body}`)
        assert.match(response.json().detail, /^Multipart form parse error - /)
      }
    })
  })
}
