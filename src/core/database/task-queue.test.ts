import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ServiceUnavailable } from '../errors/exceptions.ts'
import {
  createKeyedQueues,
  createTaskQueue,
  QueueFull,
  QueueTimeout,
  type TaskQueue,
  unlimitedWait,
} from './task-queue.ts'

/** A task that records its start, and ends when the test calls `finish` or `fail`. */
function createTask(queue: TaskQueue, name: string, started: string[]) {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const settled = queue.run(() => {
    started.push(name)
    return promise
  })
  return { settled, finish: () => resolve(name), fail: (error: Error) => reject(error) }
}

test('at most `running` tasks run at once, and the others start in order of arrival', async () => {
  const queue = createTaskQueue({ maxRunning: 2, maxWaiting: 2 })
  const started: string[] = []
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(name => createTask(queue, name, started))
  await setImmediate()
  assert.deepEqual([started, queue.waiting()], [['a', 'b'], 2])

  b!.finish()
  assert.equal(await b!.settled, 'b')
  await setImmediate()
  assert.deepEqual([started, queue.waiting()], [['a', 'b', 'c'], 1])

  a!.finish()
  c!.finish()
  d!.finish()
  assert.deepEqual(await Promise.all([a!.settled, c!.settled, d!.settled]), ['a', 'c', 'd'])
  assert.deepEqual(started, ['a', 'b', 'c', 'd'])
})

test('a task beyond maxWaiting is rejected with 503 and never starts', async () => {
  const queue = createTaskQueue({ maxWaiting: 1 })
  const started: string[] = []
  const [running, waiting, refused] = ['a', 'b', 'c'].map(name => createTask(queue, name, started))
  await assert.rejects(refused!.settled, QueueFull)
  assert.ok(QueueFull.prototype instanceof ServiceUnavailable)

  running!.finish()
  waiting!.finish()
  await Promise.all([running!.settled, waiting!.settled])
  assert.deepEqual(started, ['a', 'b'])
})

test('maxWaiting bounds the sum of the sizes of waiting tasks', async () => {
  const queue = createTaskQueue({ maxWaiting: 10 })
  const first = createTask(queue, 'first', [])
  const large = queue.run(async () => 'large', { size: 8 })
  await assert.rejects(
    queue.run(async () => 'too large', { size: 3 }),
    QueueFull,
  )
  const small = queue.run(async () => 'small', { size: 2 })
  first.finish()
  assert.deepEqual(await Promise.all([large, small]), ['large', 'small'])
  assert.equal(queue.waiting(), 0)
  const second = createTask(queue, 'second', [])
  const again = queue.run(async () => 'again', { size: 10 })
  second.finish()
  assert.equal(await again, 'again')
})

test('a task that rejects or throws frees its slot', async () => {
  const queue = createTaskQueue({ maxWaiting: 0 })
  const failing = createTask(queue, 'a', [])
  failing.fail(new Error('no luck'))
  await assert.rejects(failing.settled, /no luck/)

  const throwing = queue.run(() => {
    throw new Error('no task')
  })
  await assert.rejects(throwing, /no task/)

  assert.equal(await queue.run(async () => 'next'), 'next')
})

test('a new task does not overtake the task whose turn has come', async () => {
  const queue = createTaskQueue({ maxWaiting: 2 })
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

test('a bound that is not a whole number in its range throws at creation', () => {
  assert.throws(
    () => createTaskQueue({ maxRunning: 0, maxWaiting: 1 }),
    /"maxRunning" is 0; give a whole number, 1 or more/,
  )
  assert.throws(() => createTaskQueue({ maxWaiting: -1 }), RangeError)
  assert.throws(() => createTaskQueue({ maxRunning: Number.NaN, maxWaiting: 1 }), RangeError)
  assert.throws(() => createKeyedQueues({ maxWaiting: 1.5 }), RangeError)
})

test('tasks with the same key do not overlap, tasks with different keys do, and a failure delays no other task', async () => {
  const queues = createKeyedQueues<string>({ maxWaiting: 10 })
  const log: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = queues('a', async () => {
    log.push('a1 begins')
    await gate.promise
    log.push('a1 ends')
    throw new Error('a1')
  })
  const second = queues('a', async () => log.push('a2'))
  await queues('b', async () => log.push('b1'))
  gate.resolve()
  await assert.rejects(first, new Error('a1'))
  await second
  assert.deepEqual(log, ['a1 begins', 'b1', 'a1 ends', 'a2'])
})

test('a rejected or timed-out task never starts, and the other tasks keep their order', async () => {
  const queues = createKeyedQueues<string>({ maxWaiting: 2, timeout: 60_000 })
  const log: number[] = []
  const gate = Promise.withResolvers<void>()
  const record = (n: number) => async () => void log.push(n)
  const holder = queues('a', () => gate.promise)
  const late = queues('a', record(1), { bounds: { maxWaiting: 2, timeout: 10 } })
  const patient = queues('a', record(2))
  await assert.rejects(queues('a', record(3)), QueueFull)
  await queues('b', record(4))
  await assert.rejects(late, QueueTimeout)
  const last = queues('a', record(5))
  await assert.rejects(queues('a', record(6)), QueueFull)
  const closing = queues('a', record(7), { bounds: unlimitedWait })
  gate.resolve()
  await Promise.all([holder, patient, last, closing])
  assert.deepEqual(log, [4, 2, 5, 7])
  await queues('a', record(8))
  assert.equal(log.at(-1), 8)
})
