import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createObserver, type Observer, observeApis } from './observers.ts'

const observation = {} as Parameters<Observer>[0]

test('a response waits for the promises of all observers, whatever the others return', async () => {
  for (const order of [
    ['value', 'promise', 'promise'],
    ['promise', 'value', 'promise'],
    ['promise', 'promise', 'value'],
  ] as const) {
    const server = {}
    let finished = 0
    const observers = order.map(
      (kind): Observer =>
        () =>
          kind === 'value' ? 5 : new Promise<void>(resolve => setImmediate(resolve)).then(() => (finished += 1)),
    )
    const [own, ...others] = observers
    for (const observe of others) observeApis({ server } as never, observe)
    await createObserver(server, own)(observation)
    assert.equal(finished, 2, order.join())
  }
})

test('without promises, a response does not wait', () => {
  const server = {}
  const seen: string[] = []
  observeApis({ server } as never, () => void seen.push('server'))
  assert.equal(createObserver(server, () => seen.push('own'))(observation), undefined)
  assert.deepEqual(seen, ['own', 'server'])
})
