import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryStore, ServiceUnavailable, Throttled } from 'resource-api'
import { createLoginThrottle } from './login-throttle.ts'

const minute = 60_000
const wrong = async () => undefined

function createTestThrottle(perAccount?: string, perAddress?: string) {
  let now = Date.UTC(2026, 0, 1)
  const { guard } = createLoginThrottle({
    store: memoryStore({ clock: () => new Date(now) }),
    ...(perAccount && { perAccount }),
    ...(perAddress && { perAddress }),
  })
  return {
    guard,
    fail: (username: string, ip = '192.0.2.1') => guard({ ip }, username, wrong),
    wait: (milliseconds: number) => {
      now += milliseconds
    },
  }
}

const throttled = (wait: string) => (error: unknown) =>
  error instanceof Throttled && error.headers['retry-after'] === wait

test('ERR-EXC-r10: by default, an account allows ten failures per address in five minutes', async () => {
  const { fail, wait } = createTestThrottle()
  for (let failures = 0; failures < 10; failures++) assert.equal(await fail('ann'), undefined)
  await assert.rejects(fail('ann'), throttled('300'))
  wait(5 * minute - 1)
  await assert.rejects(fail('ann'), throttled('1'))
  wait(1)
  assert.equal(await fail('ann'), undefined)
})

test('ERR-EXC-r10: by default, an address is allowed a hundred failures in an hour', async () => {
  const { fail, wait } = createTestThrottle()
  for (let failures = 0; failures < 100; failures++) assert.equal(await fail(`user ${failures}`), undefined)
  await assert.rejects(fail('ann'), throttled('3600'))
  assert.equal(await fail('ann', '192.0.2.2'), undefined)
  wait(60 * minute)
  assert.equal(await fail('ann'), undefined)
})

test('ERR-EXC-r10: a throttled attempt does not check the password, even a correct one', async () => {
  const { fail, guard } = createTestThrottle('1/minute')
  await fail('ann')
  await assert.rejects(
    guard({ ip: '192.0.2.1' }, 'ann', () => assert.fail('the password was checked')),
    Throttled,
  )
})

test('ERR-EXC-r10: concurrent guesses are limited like sequential ones', async () => {
  const { guard } = createTestThrottle('3/minute')
  let checks = 0
  const guess = () =>
    guard({ ip: '192.0.2.1' }, 'ann', async () => {
      checks += 1
      return undefined
    })
  const results = await Promise.allSettled(Array.from({ length: 100 }, guess))
  assert.equal(checks, 3)
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
})

test('successful logins and errors other than wrong credentials are not counted', async () => {
  const { guard } = createTestThrottle('3/minute', '3/minute')
  const logIn = (verify: () => Promise<unknown>) => guard({ ip: '192.0.2.1' }, 'ann', verify)
  const busy = async () => {
    throw new ServiceUnavailable()
  }
  const right = () => logIn(async () => 'ann')
  assert.deepEqual(await Promise.all(Array.from({ length: 50 }, right)), Array(50).fill('ann'))
  for (let attempt = 0; attempt < 10; attempt++) await assert.rejects(logIn(busy), ServiceUnavailable)
  for (let failures = 0; failures < 3; failures++) await logIn(wrong)
  await assert.rejects(right(), Throttled)
})

test('all Unicode spellings of a username share one count', async () => {
  const { fail } = createTestThrottle('2/minute')
  await fail('ﬁfi')
  await fail('fifi')
  await assert.rejects(fail('ｆｉｆｉ'), Throttled)
  assert.equal(await fail('FIFI'), undefined)
  for (const name of ['', '\0', '\ud800', 'a'.repeat(100_000)]) assert.equal(await fail(name), undefined)
})

test('logins beyond the queue limit are rejected with 503', async () => {
  const { guard } = createTestThrottle()
  const { promise, resolve } = Promise.withResolvers<string>()
  const logins = Array.from({ length: 103 }, () => guard({ ip: '192.0.2.1' }, 'ann', () => promise))
  await assert.rejects(logins.at(-1)!, ServiceUnavailable)
  assert.equal(await guard({ ip: '192.0.2.2' }, 'ann', async () => 'ann'), 'ann')
  resolve('ann')
  assert.deepEqual(await Promise.all(logins.slice(0, -1)), Array(102).fill('ann'))
})

test('an invalid rate throws at start', () => {
  assert.throws(() => createTestThrottle('ten a day'), /"ten a day"/)
})
