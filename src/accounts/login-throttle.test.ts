import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceUnavailable, Throttled } from '../framework/errors/exceptions.ts'
import { memoryStore } from '../framework/throttling/memory-store.ts'
import { createLoginThrottle } from './login-throttle.ts'

const minute = 60_000
const wrong = async () => undefined

function createBrake(perAccount?: string, perAddress?: string) {
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

test('ERR-EXC-r10: by default an account takes ten failures of an address in five minutes', async () => {
  const { fail, wait } = createBrake()
  for (let failures = 0; failures < 10; failures++) assert.equal(await fail('ann'), undefined)
  await assert.rejects(fail('ann'), throttled('300'))
  wait(5 * minute - 1)
  await assert.rejects(fail('ann'), throttled('1'))
  wait(1)
  assert.equal(await fail('ann'), undefined)
})

test('ERR-EXC-r10: by default an address has a hundred failures in an hour', async () => {
  const { fail, wait } = createBrake()
  for (let failures = 0; failures < 100; failures++) assert.equal(await fail(`user ${failures}`), undefined)
  await assert.rejects(fail('ann'), throttled('3600'))
  assert.equal(await fail('ann', '192.0.2.2'), undefined)
  wait(60 * minute)
  assert.equal(await fail('ann'), undefined)
})

test('ERR-EXC-r10: an attempt that is refused never looks at the password, even at the right one', async () => {
  const { fail, guard } = createBrake('1/minute')
  await fail('ann')
  await assert.rejects(
    guard({ ip: '192.0.2.1' }, 'ann', () => assert.fail('looked at the password')),
    Throttled,
  )
})

test('ERR-EXC-r10: of guesses that come at once, as many are looked at as of those in a row', async () => {
  const { guard } = createBrake('3/minute')
  let looks = 0
  const guess = () =>
    guard({ ip: '192.0.2.1' }, 'ann', async () => {
      looks += 1
      return undefined
    })
  const results = await Promise.allSettled(Array.from({ length: 100 }, guess))
  assert.equal(looks, 3)
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3)
})

test('what succeeds, or fails for another reason, is given back', async () => {
  const { guard } = createBrake('3/minute', '3/minute')
  const ask = (verify: () => Promise<unknown>) => guard({ ip: '192.0.2.1' }, 'ann', verify)
  const busy = async () => {
    throw new ServiceUnavailable()
  }
  const right = () => ask(async () => 'ann')
  assert.deepEqual(await Promise.all(Array.from({ length: 50 }, right)), Array(50).fill('ann'))
  for (let attempt = 0; attempt < 10; attempt++) await assert.rejects(ask(busy), ServiceUnavailable)
  for (let failures = 0; failures < 3; failures++) await ask(wrong)
  await assert.rejects(right(), Throttled)
})

test('all spellings of a name that the service takes for one are one account', async () => {
  const { fail } = createBrake('2/minute')
  await fail('ﬁfi')
  await fail('fifi')
  await assert.rejects(fail('ｆｉｆｉ'), Throttled)
  assert.equal(await fail('FIFI'), undefined)
  for (const name of ['', '\0', '\ud800', 'a'.repeat(100_000)]) assert.equal(await fail(name), undefined)
})

test('more than can wait are told to come again', async () => {
  const { guard } = createBrake()
  const { promise, resolve } = Promise.withResolvers<string>()
  const asked = Array.from({ length: 103 }, () => guard({ ip: '192.0.2.1' }, 'ann', () => promise))
  await assert.rejects(asked.at(-1)!, ServiceUnavailable)
  assert.equal(await guard({ ip: '192.0.2.2' }, 'ann', async () => 'ann'), 'ann')
  resolve('ann')
  assert.deepEqual(await Promise.all(asked.slice(0, -1)), Array(102).fill('ann'))
})

test('a brake that cannot be is an error at start', () => {
  assert.throws(() => createBrake('ten a day'), /"ten a day" is not a rate: write/)
})
