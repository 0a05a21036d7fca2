import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSecret, signMessage } from './signature.ts'

const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' }
const now = new Date(1_614_265_330_999)
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='

test('a message is signed as Standard Webhooks say', () => {
  assert.deepEqual(signMessage(message, [secret], now), {
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': signature,
  })
})

test('during a rotation, there is a signature with each secret', () => {
  const other = createSecret()
  assert.match(other, /^whsec_[\w+/]{43}=$/)
  const { 'webhook-signature': both = '' } = signMessage(message, [other, secret], now)
  assert.match(both, /^v1,[\w+/]{43}= v1,[\w+/]{43}=$/)
  assert.ok(both.endsWith(` ${signature}`))
})
