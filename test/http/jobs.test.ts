// Jobs: stored with the write that enqueues them, run later, tried again, once however many processes there are.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  createContext,
  type Identity,
  ignorePermissions,
  integer,
  key,
  resource,
  text,
  ValidationError,
} from 'resource-api'
import { type Job, job } from 'resource-api/jobs'
import { profile, type ServiceOptions } from 'resource-api/service'
import { table, tables } from 'resource-api/tables'
import { type TestService, testService } from 'resource-api/testing'
import * as z from 'zod'
import { createJobRunner, type JobRunnerOptions } from '#jobs'

const orderTable = table('orders', {
  columns: { id: key(), number: text({ max: 20 }), state: text({ default: 'new' }) },
})
const schema = tables({ owner: 'shop', tables: [orderTable] })

const createShop = (run: (order: number, attempt: number) => unknown, others: readonly Job[] = []) => {
  const confirm = job('confirm', {
    payload: { order: integer() },
    retries: 2,
    async run({ order }, context) {
      const result = await run(order, context.job.attempt)
      await orders.update(order, { state: 'confirmed' }, context)
      return result
    },
  })
  const orders = resource('orders', {
    table: orderTable,
    fields: orderTable.pick('id', 'number', 'state'),
    async afterSave(context) {
      if (context.action === 'create') await confirm.enqueue({ order: context.key }, context)
      if (context.after.number === 'refused') throw new ValidationError('Refused.')
    },
  })
  const shop = profile('shop', { tables: schema, resources: [orders], jobs: [confirm as unknown as Job, ...others] })
  return { confirm, config: { profiles: [shop] } satisfies ServiceOptions }
}

const nobody: Identity = { isAuthenticated: false, id: null, username: '', isStaff: false }
const createShopContext = (api: TestService) => createContext(api.app, { user: nobody, api: 'shop' })

const shownJob = z.object({ state: z.string(), attempts: z.int(), error: z.string().nullable() })
const shownOrder = z.object({ state: z.string() })

interface Row {
  readonly state: string
  readonly attempts: number
  readonly error: string
  readonly result: unknown
}

const readJobs = (api: TestService): Promise<[Row, ...Row[]]> =>
  api.services.database.kysely.selectFrom('jobs').selectAll().orderBy('id').execute() as never

const startRunner = (api: TestService, jobs: readonly Job[], options: Partial<JobRunnerOptions> = {}) =>
  createJobRunner({
    database: api.services.database,
    jobs,
    createContext: () => ignorePermissions(createShopContext(api)),
    ...options,
  })

for (const database of ['sqlite', 'postgres'] as const)
  suite(`jobs: ${database}`, () => {
    test('a job runs after the commit, with its payload, and stores its result', async () => {
      const ran: number[] = []
      const { config } = createShop(order => ({ sent: ran.push(order) }))
      await using api = await testService(config, { database })
      await api.post('/orders/', { number: 'A1' }).expect(201)
      assert.deepEqual(ran, [])
      await api.runJobs()
      assert.deepEqual(ran, [1])
      assert.deepEqual(await api.get('/orders/1/').json(), { id: 1, number: 'A1', state: 'confirmed' })
      const [row] = await readJobs(api)
      assert.equal(row.state, 'done')
      assert.equal(row.attempts, 1)
      const result = typeof row.result === 'string' ? JSON.parse(row.result) : row.result
      assert.deepEqual(result, { sent: 1 })
    })

    test('a write that is rolled back enqueues nothing', async () => {
      const { config } = createShop(() => assert.fail('must not run'))
      await using api = await testService(config, { database })
      await api.post('/orders/', { number: 'refused' }).expect(400)
      await api.runJobs()
      assert.equal((await readJobs(api)).length, 0)
    })

    test('a job that throws is tried again after a pause, and fails in the end', async () => {
      const attempts: number[] = []
      const { config } = createShop((_, attempt) => {
        attempts.push(attempt)
        throw new Error('The mail server is down.')
      })
      let now = Date.now()
      await using api = await testService(config, { database, clock: () => new Date(now) })
      await api.post('/orders/', { number: 'A1' }).expect(201)
      for (const state of ['waiting', 'waiting', 'failed', 'failed']) {
        await api.runJobs()
        const [row] = await readJobs(api)
        assert.equal(row.state, state)
        assert.match(row.error, /The mail server is down\./)
        now += 3_600_000 * 2
      }
      assert.deepEqual(attempts, [1, 2, 3])
    })

    test('a payload that the job does not take is refused when it is enqueued, and fails at once if it was stored', async () => {
      const { config, confirm } = createShop(() => undefined)
      await using api = await testService(config, { database })
      const context = createShopContext(api)
      await assert.rejects(confirm.enqueue({ order: 'x' as never }, context), ValidationError)
      await confirm.enqueue({ order: 7 }, context)
      await api.services.database.transaction(({ kysely }) =>
        kysely.updateTable('jobs').set({ payload: '{"number":"old"}' }).execute(),
      )
      await api.runJobs()
      const [row] = await readJobs(api)
      assert.equal(row.state, 'failed')
      assert.equal(row.attempts, 1)
      assert.match(row.error, /payload is not valid.*order/)
    })

    test('a job without a context of an API is an error in words', async () => {
      const { confirm } = createShop(() => undefined)
      await assert.rejects(confirm.enqueue({ order: 1 }, {} as never), /confirm\.enqueue\(\): the context must be/)
    })

    test('a unique job waits once, and again after it has run', async () => {
      let runs = 0
      const rebuild = job('rebuild', { run: () => void runs++ })
      const { config } = createShop(() => undefined, [rebuild as Job])
      await using api = await testService(config, { database })
      const context = createShopContext(api)
      assert.equal(typeof (await rebuild.enqueue({}, context, { unique: 'all' })), 'number')
      assert.equal(await rebuild.enqueue({}, context, { unique: 'all' }), null)
      await api.runJobs()
      assert.equal(runs, 1)
      assert.equal(typeof (await rebuild.enqueue({}, context, { unique: 'all' })), 'number')
    })

    test('the higher priority runs first, and a job of the future waits', async () => {
      const ran: number[] = []
      let now = Date.parse('2027-01-01T00:00:00Z')
      const step = job('step', { payload: { number: integer() }, run: ({ number }) => void ran.push(number) })
      const { config } = createShop(() => undefined, [step as unknown as Job])
      await using api = await testService(config, { database, clock: () => new Date(now) })
      const context = createShopContext(api)
      const future = new Date('2030-01-01T00:00:00Z')
      await step.enqueue({ number: 3 }, context, { runAt: future })
      await step.enqueue({ number: 2 }, context)
      await step.enqueue({ number: 1 }, context, { priority: 5 })
      const runner = startRunner(api, [step as unknown as Job], { concurrency: 1, clock: () => new Date(now) })
      await runner.runDue()
      assert.deepEqual(ran, [1, 2])
      now = future.getTime()
      await runner.runDue()
      assert.deepEqual(ran, [1, 2, 3])
    })

    test('a job runs once, although several processes take jobs', async () => {
      const ran: number[] = []
      const { config, confirm } = createShop(order => void ran.push(order))
      await using api = await testService(config, { database })
      for (let index = 0; index < 40; index++) await api.post('/orders/', { number: `A${index}` }).expect(201)
      const runners = [1, 2, 3].map(() => startRunner(api, [confirm as unknown as Job], { concurrency: 3 }))
      await Promise.all(runners.map(runner => runner.runDue()))
      await Promise.all(runners.map(runner => runner.runDue()))
      assert.deepEqual(
        ran.toSorted((left, right) => left - right),
        Array.from({ length: 40 }, (_, index) => index + 1),
      )
    })

    test('the job of a process that has ended is given to another one', async () => {
      let now = Date.now()
      const clock = () => new Date(now)
      const stuck = Promise.withResolvers<void>()
      const ran: number[] = []
      const { config, confirm } = createShop(async (order, attempt) => {
        if (attempt === 1) await stuck.promise
        ran.push(order)
      })
      await using api = await testService(config, { database, clock })
      await api.post('/orders/', { number: 'A1' }).expect(201)
      const errors: string[] = []
      const first = startRunner(api, [confirm as unknown as Job], {
        clock,
        onError: ({ message }) => errors.push(message),
      })
      const hanging = first.runDue()
      while ((await readJobs(api))[0].state !== 'running') await new Promise(setImmediate)
      now += 120_000
      const second = startRunner(api, [confirm as unknown as Job], { clock })
      await second.releaseLost()
      await second.runDue()
      assert.deepEqual(ran, [1])
      assert.equal((await readJobs(api))[0].attempts, 2)
      stuck.resolve()
      await hanging
      assert.match(errors[0]!, /another process runs it too/)
    })

    test('jobs that no process has are reported, once, after a minute', async () => {
      let now = Date.now()
      const clock = () => new Date(now)
      const { config, confirm } = createShop(() => undefined)
      await using api = await testService(config, { database, clock })
      await api.post('/orders/', { number: 'A1' }).expect(201)
      const errors: string[] = []
      const onError = ({ message }: Error) => errors.push(message)
      const other = startRunner(api, [job('other', { run: () => undefined }) as Job], { clock, onError })
      const own = startRunner(api, [confirm as unknown as Job], { clock, onError })
      const report = async () => {
        for (const runner of [own, other, other]) await runner.reportUnknown()
        return errors
      }
      assert.deepEqual(await report(), [])
      now += 61_000
      assert.deepEqual(await report(), [
        'jobs named "confirm" wait, but no profile of this process has a job with this name: add it to "jobs"',
      ])
    })

    test('a scheduled job runs once at its time, however many processes there are, and once for a time that was missed', async () => {
      let runs = 0
      let now = Date.parse('2027-03-01T04:59:00Z')
      const clock = () => new Date(now)
      const nightly = job('nightly', {
        every: '1 day',
        at: '06:00',
        timeZone: 'Europe/Vienna',
        run: () => void runs++,
      }) as Job
      const { config } = createShop(() => undefined, [nightly])
      await using api = await testService(config, { database, clock })
      const [first, second] = [startRunner(api, [nightly], { clock }), startRunner(api, [nightly], { clock })]
      const runBoth = async () => {
        await Promise.all([first.runDue(), second.runDue()])
        await first.runDue()
      }
      await runBoth()
      assert.equal(runs, 0)
      now = Date.parse('2027-03-01T05:00:00Z')
      await runBoth()
      assert.equal(runs, 1)
      await runBoth()
      assert.equal(runs, 1)
      now = Date.parse('2027-03-04T12:00:00Z')
      await runBoth()
      assert.equal(runs, 2)
    })

    test('a runner hears of a job that another process enqueues, and stops', async () => {
      const done = Promise.withResolvers<number>()
      const { config, confirm } = createShop(order => done.resolve(order))
      await using api = await testService(config, { database })
      const runner = startRunner(api, [confirm as unknown as Job])
      runner.start()
      await api.post('/orders/', { number: 'A1' }).expect(201)
      assert.equal(await done.promise, 1)
      await runner.stop(10)
      assert.equal((await readJobs(api))[0].state, 'done')
    })

    test('a job that does not end in the time to stop is given back', async () => {
      const begun = Promise.withResolvers<void>()
      const slow = job('slow', {
        run: (_, { signal }) => {
          begun.resolve()
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        },
      }) as Job
      const { config } = createShop(() => undefined, [slow])
      await using api = await testService(config, { database })
      const context = createShopContext(api)
      await slow.enqueue({}, context)
      const runner = startRunner(api, [slow])
      runner.start()
      await begun.promise
      await runner.stop(0)
      const [row] = await readJobs(api)
      assert.deepEqual([row.state, row.attempts], ['waiting', 0])
    })
    test('superusers see the jobs in the administration, run one again and cancel one', async () => {
      let isDown = true
      const { config } = createShop(() => {
        if (isDown) throw new ValidationError('Down.')
      })
      await using api = await testService(config, { database })
      const root = api.as(await api.user('root', { superuser: true, staff: true }))
      const clerk = api.as(await api.user('clerk', { staff: true }))
      await clerk.get('/admin/jobs/').expect(403)
      await api.post('/orders/', { number: 'A1' }).expect(201)
      await api.runJobs()
      const failed = await root.get('/admin/jobs/1/').json(shownJob)
      assert.deepEqual([failed.state, failed.attempts], ['failed', 1])
      isDown = false
      await clerk.post('/admin/jobs/1/retry/').expect(403)
      await root.post('/admin/jobs/1/retry/').expect(200)
      await root.post('/admin/jobs/1/retry/').expect(409)
      await api.runJobs()
      const done = await root.get('/admin/jobs/1/').json(shownJob)
      assert.deepEqual([done.state, done.error], ['done', null])
      await root.post('/admin/jobs/1/cancel/').expect(409)
      await api.post('/orders/', { number: 'A2' }).expect(201)
      await root.post('/admin/jobs/2/cancel/').expect(200)
      await api.runJobs()
      assert.equal((await root.get('/admin/jobs/2/').json(shownJob)).state, 'cancelled')
      assert.equal((await api.get('/orders/2/').json(shownOrder)).state, 'new')
    })
  })

test('mistakes of a declaration are named at start', () => {
  const run = () => undefined
  const attempts: readonly (readonly [RegExp, () => unknown])[] = [
    [/job "A": the name must be/, () => job('A', { run })],
    [/job "a": run must be a function/, () => job('a', {} as never)],
    [/job "a": retries must be an integer of at least 0, not -1/, () => job('a', { run, retries: -1 })],
    [/job "a": every must be an interval such as '15 minutes', not "soon"/, () => job('a', { run, every: 'soon' })],
    [/job "a": at must be a time such as '06:30', not "6"/, () => job('a', { run, every: '1 day', at: '6' })],
    [/job "a": "at" needs every: '1 day'/, () => job('a', { run, every: '2 hours', at: '06:00' })],
    [/job "a": the schedule "x" in the time zone "UTC"/, () => job('a', { run, cron: 'x' })],
    [
      /the schedule "0 6 \* \* \*" in the time zone "Mars\/Base"/,
      () => job('a', { run, cron: '0 6 * * *', timeZone: 'Mars/Base' }),
    ],
    [
      /nothing gives a scheduled job its payload/,
      () => job('a', { run, every: '1 hour', payload: { order: integer() } }),
    ],
  ]
  for (const [message, declare] of attempts) assert.throws(declare, message)
})
