import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type BoundedQueue, createBoundedQueue, QueueFull } from './bounded-queue.ts'

/** A task that notes its start and ends when told to. */
function createTask(queue: BoundedQueue, name: string, started: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const settled = queue.run(() => {
    started.push(name)
    return promise
  })
  return { settled, finish: () => resolve(name), fail: (error: Error) => reject(error) }
}

test('as many tasks run as are allowed, the others start in the order in which they came', async () => {
  const queue = createBoundedQueue({ running: 2, waiting: 2 })
  const started: string[] = []
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => createTask(queue, name, started))
  await setImmediate()
  assert.deepEqual(started, ['a', 'b'])

  b!.finish()
  assert.equal(await b!.settled, 'b')
  await setImmediate()
  assert.deepEqual(started, ['a', 'b', 'c'])

  a!.finish()
  c!.finish()
  d!.finish()
  assert.deepEqual(await Promise.all([a!.settled, c!.settled, d!.settled]), ['a', 'c', 'd'])
  assert.deepEqual(started, ['a', 'b', 'c', 'd'])
})

test('a task beyond those that may wait is turned away and never starts', async () => {
  const queue = createBoundedQueue({ running: 1, waiting: 1 })
  const started: string[] = []
  const [running, waiting, refused] = ['a', 'b', 'c'].map(name => createTask(queue, name, started))
  await assert.rejects(refused!.settled, QueueFull)

  running!.finish()
  waiting!.finish()
  await Promise.all([running!.settled, waiting!.settled])
  assert.deepEqual(started, ['a', 'b'])
})

test('a task that rejects or throws gives its slot back', async () => {
  const queue = createBoundedQueue({ running: 1, waiting: 0 })
  const failing = createTask(queue, 'a', [])
  failing.fail(new Error('no luck'))
  await assert.rejects(failing.settled, /no luck/)

  const throwing = queue.run(() => {
    throw new Error('no task')
  })
  await assert.rejects(throwing, /no task/)

  assert.equal(await queue.run(async () => 'next'), 'next')
})

test('a newcomer does not overtake the task whose turn has come', async () => {
  const queue = createBoundedQueue({ running: 1, waiting: 2 })
  const started: string[] = []
  const first = createTask(queue, 'first', started)
  const second = createTask(queue, 'second', started)
  const newcomer = first.settled.then(() => createTask(queue, 'newcomer', started))
  first.finish()
  const third = await newcomer
  second.finish()
  third.finish()
  await Promise.all([second.settled, third.settled])
  assert.deepEqual(started, ['first', 'second', 'newcomer'])
})

test('a bound that is no whole number in its range stops the start', () => {
  assert.throws(() => createBoundedQueue({ running: 0 }), /"running" is 0; give a whole number, 1 or more/)
  assert.throws(() => createBoundedQueue({ waiting: -1 }), RangeError)
  assert.throws(() => createBoundedQueue({ running: Number.NaN }), RangeError)
})
