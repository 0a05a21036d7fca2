// Nothing here is timed: the test controls the clock and the event loop.

import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTimeSlices, sliceTime, timeSlices, turnTime } from './time-slices.ts'

/** Slices on an event loop that the test turns, with a clock that only `work` advances. */
function createLoop() {
  let time = 0
  let callbacks: (() => void)[] = []
  const slices = createTimeSlices({ now: () => time, schedule: callback => callbacks.push(callback) })
  return {
    slices,
    /** Advances the clock. */
    work: (milliseconds: number) => {
      time += milliseconds
    },
    /** Runs one turn of the loop and everything that follows from it; returns how long it took. */
    async turn() {
      const [due, start] = [callbacks, time]
      callbacks = []
      for (const callback of due) callback()
      await nextTurn()
      return time - start
    },
    isIdle: () => callbacks.length === 0,
  }
}

test('a slice runs at once while its turn has time left, otherwise in a later turn', async () => {
  const { slices, work, turn, isIdle } = createLoop()
  assert.equal(
    slices.run(() => work(turnTime / 2)),
    undefined,
  )
  assert.equal(
    slices.run(() => {
      work(turnTime)
      return 'second'
    }),
    'second',
  )
  const third = slices.run(() => 'third')
  assert.ok(third instanceof Promise)
  await turn()
  assert.equal(await third, 'third')
  await turn()
  assert.ok(isIdle(), 'nothing is scheduled when no slice waits')
})

test('ten streams alternate, and together take at most 10 ms of each turn', async () => {
  const { slices, work, turn } = createLoop()
  const log: number[] = []
  const stream = async (name: number) => {
    for (let portion = 0; portion < 20; portion++) {
      await slices.run(() => {
        log.push(name)
        work(sliceTime)
      })
    }
  }
  const streams = Promise.all(Array.from({ length: 10 }, (_, name) => stream(name)))
  await nextTurn()
  while (log.length < 200) {
    const previousLength = log.length
    const taken = await turn()
    assert.ok(log.length > previousLength, 'each turn runs a slice')
    assert.ok(taken <= 10, `a turn took ${taken} ms`)
  }
  await streams
  for (let round = 1; round < 20; round++) {
    const names = log.slice(round * 10, round * 10 + 10)
    assert.equal(new Set(names).size, 10, `round ${round}: ${names}`)
  }
})

test('a new stream waits behind the streams that already wait', async () => {
  const { slices, work, turn } = createLoop()
  const log: string[] = []
  const slice = (name: string) => () => {
    log.push(name)
    work(turnTime)
  }
  slices.run(slice('first'))
  const waiting = ['a', 'b', 'c'].map(name => slices.run(slice(name)))
  await turn()
  waiting.push(slices.run(slice('newcomer')))
  for (let count = 0; count < 5; count++) await turn()
  await Promise.all(waiting)
  assert.deepEqual(log, ['first', 'a', 'b', 'c', 'newcomer'])
})

test('a slice that throws or rejects fails alone', async () => {
  const { slices, work, turn } = createLoop()
  slices.run(() => work(turnTime))
  const failing = slices.run(() => {
    throw new Error('no luck')
  })
  const rejecting = slices.run(() => Promise.reject(new Error('no luck either')))
  const next = slices.run(() => 'next')
  const outcomes = Promise.allSettled([failing, rejecting, next])
  await turn()
  const [first, second, third] = await outcomes
  assert.deepEqual([first.status, second.status, third.status], ['rejected', 'rejected', 'fulfilled'])
})

test('a slice runs in the asynchronous context of its caller', async () => {
  const { slices, work, turn } = createLoop()
  const caller = new AsyncLocalStorage<string>()
  slices.run(() => work(turnTime))
  const callers = ['ann', 'bob'].map(name => caller.run(name, () => slices.run(() => caller.getStore())))
  await turn()
  assert.deepEqual(await Promise.all(callers), ['ann', 'bob'])
})

test('map() changes items in slices, in order, and returns at once if one slice is enough', async () => {
  const { slices, work, turn } = createLoop()
  assert.deepEqual(
    slices.map([1, 2, 3], item => 2 * item),
    [2, 4, 6],
  )
  const items = Array.from({ length: 100 }, (_, index) => index)
  const changed = slices.map(items, item => {
    work(1)
    return item + 1
  })
  assert.ok(changed instanceof Promise)
  let turns = 0
  let isDone = false
  void Promise.resolve(changed).then(() => {
    isDone = true
  })
  for (; !isDone; turns++) assert.ok((await turn()) <= 10)
  assert.deepEqual(
    await changed,
    items.map(item => item + 1),
  )
  assert.ok(turns >= 10, `${turns} turns`)
})

test('the slices of the process leave the event loop to other callbacks', async () => {
  let [isOver, turns] = [false, 0]
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  count()
  const busy = () => {
    for (const start = timeSlices.now(); timeSlices.now() - start < sliceTime; ) Math.random()
  }
  for (let slice = 0; slice < 10; slice++) await timeSlices.run(busy)
  isOver = true
  assert.ok(turns >= 5, `${turns} turns during ten slices`)
})
