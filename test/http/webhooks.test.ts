// Webhooks: each committed change of a list is sent to the URLs that follow it, as the owner of the subscription sees it at that time.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import {
  anonymous,
  authenticated,
  createContext,
  type Database,
  feedMigrations,
  ignorePermissions,
  integer,
  key,
  readOnly,
  resource,
  rowFilter,
  text,
  ValidationError,
} from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { createJobRunner, createWebhooks, jobTables } from 'resource-api/jobs'
import { profile } from 'resource-api/service'
import { caller, owner, table, tables } from 'resource-api/tables'
import { type TestService, type TestUser, testApi, testService } from 'resource-api/testing'
import { findChangeListener } from '#core'
import { createServiceJobs } from '#service'
import { signMessage } from '../../src/jobs/webhooks/signature.ts'
import { patience } from '../support/patience.ts'

let isSuspended = false

const orderTable = table('orders', {
  columns: {
    id: key(),
    number: text({ max: 20 }),
    amount: integer({ default: 0 }),
    margin: integer({ default: 7 }),
    owner: owner('users'),
  },
})

const orders = resource('orders', {
  table: orderTable,
  fields: {
    ...orderTable.pick('id', 'number', 'amount'),
    margin: integer({ default: 7, visible: ({ user }) => user.isStaff }),
    owner_id: readOnly(integer()),
  },
  permissions: [
    authenticated,
    { allows: ({ user }) => !(isSuspended && user.username === 'ann') },
    rowFilter(({ row, caller }) => sql`${row.owner_id} = ${caller.id} or ${caller.isStaff}`),
  ],
  filters: { amount: ['exact', 'gte'] },
  feed: true,
  async afterSave({ after: { number } }) {
    if (number === 'refused') throw new ValidationError('Refused.')
  },
})

const webhooks = createWebhooks({
  resources: [orders],
  allowsHttp: true,
  allowsPrivateAddresses: true,
  timeLimit: patience / 1000,
  retries: 1,
  maxFailures: 2,
})

const shop = profile('shop', {
  tables: tables({ owner: 'shop', tables: [orderTable], uses: [accountTables] }),
  resources: [orders, ...webhooks.resources],
  jobs: webhooks.jobs,
  admin: webhooks.admin,
})

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Waits for the transactions of other databases of the server, which hold changes back on PostgreSQL. */
async function settleChanges(database: Database): Promise<void> {
  while ((await findChangeListener(database).findEnd()).isUnsettled) await nextTurn()
}

/** A server that keeps what it receives, and responds with `status`. */
async function startTarget() {
  const received: Received[] = []
  const target = { received, status: 204, url: '', onMessage: () => {}, close: async () => {} }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    received.push({ headers: request.headers, body })
    response.writeHead(target.status).end()
    target.onMessage()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  target.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  target.close = () => new Promise<void>(resolve => void server.close(() => resolve()))
  return target
}

for (const database of ['sqlite', 'postgres'] as const)
  suite(`webhooks: ${database}`, () => {
    let api: TestService
    let target: Awaited<ReturnType<typeof startTarget>>
    let [ann, bob, sue]: TestUser[] = []
    let now = Date.now()

    before(async () => {
      target = await startTarget()
      api = await testService(shop, { database, clock: () => new Date(now) })
      ann = await api.user('ann')
      bob = await api.user('bob')
      sue = await api.user('sue', { staff: true, superuser: true })
    })
    after(async () => {
      await api[Symbol.asyncDispose]()
      await target.close()
    })
    beforeEach(async () => {
      isSuspended = false
      target.status = 204
      await api.services.database.transaction(async ({ kysely }) => {
        for (const name of ['webhooks', 'orders']) await kysely.deleteFrom(name).execute()
      })
      await runJobs()
      target.received.length = 0
    })

    const runJobs = async () => {
      await settleChanges(api.services.database)
      await api.runJobs()
    }
    const subscribe = async (user: TestUser | undefined, values: object = {}) =>
      (await api
        .as(user!)
        .post('/webhooks/', { url: target.url, ...values })
        .expect(201)
        .json()) as { id: number; secret: string }
    const order = async (user: TestUser | undefined, values: object) =>
      ((await api.as(user!).post('/orders/', values).expect(201).json()) as { id: number }).id
    const takeMessages = () => target.received.splice(0).map(({ body }) => JSON.parse(body))
    const takeEvents = () =>
      takeMessages()
        .map(({ type, data }) => [type, data.key])
        .toSorted()
    const listDeliveries = async (user: TestUser | undefined) =>
      ((await api.as(user!).get('/webhook-deliveries/').expect(200).json()) as { results: Row[] }).results
    const readWebhook = async (user: TestUser | undefined, id: number) =>
      (await api.as(user!).get(`/webhooks/${id}/`).expect(200).json()) as Row

    test('what is created, changed and deleted is sent with a signature, as the owner sees it', async () => {
      const { id: webhook, secret } = await subscribe(ann)
      const id = await order(ann, { number: 'A1' })
      await runJobs()
      await api.as(ann!).patch(`/orders/${id}/`, { amount: 2 }).expect(200)
      await runJobs()
      await api.as(ann!).delete(`/orders/${id}/`).expect(204)
      await runJobs()
      const [first] = target.received
      const messageId = String(first!.headers['webhook-id'])
      const timestamp = new Date(Number(first!.headers['webhook-timestamp']) * 1000)
      assert.equal(timestamp.getTime(), Math.floor(now / 1000) * 1000)
      const signed = signMessage({ id: messageId, body: first!.body }, [secret], timestamp)
      assert.partialDeepStrictEqual(first!.headers, { ...signed, 'content-type': 'application/json' })
      const object = { id, number: 'A1', amount: 0, owner_id: ann!.id }
      assert.deepEqual(
        takeMessages().map(({ type, data }) => [type, data]),
        [
          ['orders.created', { key: id, object }],
          ['orders.changed', { key: id, object: { ...object, amount: 2 } }],
          ['orders.deleted', { key: id }],
        ],
      )
      const deliveries = await listDeliveries(ann)
      assert.deepEqual(
        deliveries.map(({ event, state, attempts, status }) => [event, state, attempts, status]),
        ['deleted', 'changed', 'created'].map(event => [`orders.${event}`, 'delivered', 1, 204]),
      )
      assert.equal(deliveries[0]!.webhook, webhook)
    })

    test('a change that is rolled back is not sent', async () => {
      await subscribe(ann)
      await api.as(ann!).post('/orders/', { number: 'refused' }).expect(400)
      await runJobs()
      assert.deepEqual(takeEvents(), [])
    })

    test('the secret is shown once, and nobody else sees the subscription', async () => {
      const { id, secret } = await subscribe(ann)
      assert.match(secret, /^whsec_/)
      for (const path of [`/webhooks/${id}/`, '/webhooks/'])
        assert.doesNotMatch((await api.as(ann!).get(path).expect(200)).text, /whsec_/)
      const changed = await api
        .as(ann!)
        .patch(`/webhooks/${id}/`, { events: ['created'] })
        .expect(200)
      assert.doesNotMatch(changed.text, /whsec_/)
      for (const method of ['get', 'delete'] as const) await api.as(bob!)[method](`/webhooks/${id}/`).expect(404)
      await api.as(bob!).post(`/webhooks/${id}/rotate-secret/`).expect(404)
      await api.get('/webhooks/').expect(401)
    })

    test('rows and fields that the owner does not see are not sent', async () => {
      await subscribe(bob)
      await subscribe(sue)
      const id = await order(ann, { number: 'A1' })
      await runJobs()
      const messages = takeMessages()
      assert.equal(messages.length, 1)
      assert.deepEqual(messages[0].data.object, { id, number: 'A1', amount: 0, margin: 7, owner_id: ann!.id })
    })

    test('rights that end between the change and an attempt hold for the attempt', async () => {
      await subscribe(ann)
      const [lost, own] = [await order(ann, { number: 'A1' }), await order(ann, { number: 'A2' })]
      target.status = 500
      await runJobs()
      takeMessages()
      await api.services.database.transaction(({ kysely }) =>
        kysely.updateTable('orders').set({ owner_id: bob!.id }).where('id', '=', lost).execute(),
      )
      target.status = 204
      now += 120_000
      await runJobs()
      assert.deepEqual(takeEvents(), [
        ['orders.created', own],
        ['orders.hidden', lost],
      ])
      const { error, state } = (await listDeliveries(ann)).find(
        delivery => delivery.object_key === String(lost) && delivery.event === 'orders.created',
      )!
      assert.deepEqual([state, error], ['cancelled', 'The owner of the subscription does not see the object any more.'])
    })

    test('an owner who may not read the list gets nothing, not even of a deletion', async () => {
      await subscribe(ann)
      const id = await order(ann, { number: 'A1' })
      await runJobs()
      takeMessages()
      target.status = 500
      await api.as(ann!).delete(`/orders/${id}/`).expect(204)
      await runJobs()
      assert.deepEqual(takeEvents(), [['orders.deleted', id]])
      target.status = 204
      isSuspended = true
      await order(sue, { number: 'A2' })
      now += 120_000
      await runJobs()
      assert.deepEqual(takeEvents(), [])
    })

    test('an owner who may not log in ends the subscription', async () => {
      const eve = await api.user(`eve-${now}`)
      const { id } = await subscribe(eve)
      await order(eve, { number: 'A1' })
      const setActive = (is_active: boolean) =>
        api.services.database.transaction(({ kysely }) =>
          kysely.updateTable('users').set({ is_active }).where('id', '=', eve.id).execute(),
        )
      await setActive(false)
      await runJobs()
      assert.deepEqual(takeEvents(), [])
      await setActive(true)
      const { active, reason } = await readWebhook(eve, id)
      assert.deepEqual([active, reason], [false, 'The owner does not exist, or may not log in.'])
    })

    test('a filter sends the rows that meet it, and those that enter and leave it', async () => {
      await subscribe(ann, { filter: 'amount__gte=10' })
      const [small, large] = [
        await order(ann, { number: 'A1', amount: 1 }),
        await order(ann, { number: 'A2', amount: 10 }),
      ]
      await runJobs()
      assert.deepEqual(takeEvents(), [['orders.created', large]])
      await api.as(ann!).patch(`/orders/${small}/`, { amount: 11 }).expect(200)
      await api.as(ann!).patch(`/orders/${large}/`, { amount: 9 }).expect(200)
      await runJobs()
      assert.deepEqual(takeEvents(), [
        ['orders.hidden', large],
        ['orders.visible', small],
      ])
    })

    test('only the chosen events are sent', async () => {
      await subscribe(ann, { events: ['deleted'] })
      const id = await order(ann, { number: 'A1' })
      await runJobs()
      assert.deepEqual(takeEvents(), [])
      await api.as(ann!).delete(`/orders/${id}/`).expect(204)
      await runJobs()
      assert.deepEqual(takeEvents(), [['orders.deleted', id]])
    })

    test('a wrong subscription is a 400 that says what is wrong', async () => {
      const refuse = async (values: object, expected: object) =>
        assert.deepEqual(
          await api
            .as(ann!)
            .post('/webhooks/', { url: target.url, ...values })
            .expect(400)
            .json(),
          expected,
        )
      await refuse({ url: 'nonsense' }, { url: ['Enter a valid URL.'] })
      await refuse({ url: 'ftp://example.org/' }, { url: ['The URL must begin with https: or http:.'] })
      await refuse(
        { url: 'https://ann:secret@example.org/' },
        { url: ['The URL must not contain a username or password.'] },
      )
      await refuse({ filter: 'amount=many' }, { filter: ['amount: A valid integer is required.'] })
      const misspelt = await api.as(ann!).post('/webhooks/', { url: target.url, filter: 'amuont=1' }).expect(400).json()
      assert.match(JSON.stringify(misspelt), /"filter":\["amuont: /)
      for (const values of [{ events: [] }, { events: ['sold'] }, { resource: 'users' }])
        await api
          .as(ann!)
          .post('/webhooks/', { url: target.url, ...values })
          .expect(400)
    })

    test('a delivery that fails is tried again, and deliveries that fail in the end switch the subscription off', async () => {
      const { id } = await subscribe(ann)
      await order(ann, { number: 'A1' })
      await order(ann, { number: 'A2' })
      target.status = 503
      await runJobs()
      const waiting = await listDeliveries(ann)
      assert.deepEqual(
        waiting.map(({ state, attempts, status, error }) => [state, attempts, status, error]),
        [1, 2].map(() => ['waiting', 1, 503, 'The server responded 503.']),
      )
      const ids = target.received.splice(0).map(({ headers }) => headers['webhook-id'])
      now += 120_000
      await runJobs()
      assert.deepEqual(
        target.received
          .splice(0)
          .map(({ headers }) => headers['webhook-id'])
          .toSorted(),
        ids.toSorted(),
      )
      assert.ok((await listDeliveries(ann)).every(({ state }) => state === 'failed'))
      const off = await readWebhook(ann, id)
      assert.partialDeepStrictEqual(off, {
        active: false,
        failures: 2,
        reason: '2 deliveries failed in a row: The server responded 503.',
      })
      assert.notEqual(off.switched_off_at, null)
      await order(ann, { number: 'A3' })
      await runJobs()
      assert.deepEqual(takeEvents(), [])
      target.status = 200
      await api.as(ann!).patch(`/webhooks/${id}/`, { active: true }).expect(200)
      assert.partialDeepStrictEqual(await readWebhook(ann, id), {
        active: true,
        failures: 0,
        reason: null,
        switched_off_at: null,
      })
      const last = await order(ann, { number: 'A4' })
      await runJobs()
      assert.deepEqual(takeEvents(), [['orders.created', last]])
    })

    test('a URL that is gone switches its subscription off at once', async () => {
      const { id } = await subscribe(ann)
      await order(ann, { number: 'A1' })
      target.status = 410
      await runJobs()
      assert.equal(takeEvents().length, 1)
      const { active, reason } = await readWebhook(ann, id)
      assert.deepEqual([active, reason], [false, 'The server responded 410: the URL is gone.'])
      assert.equal((await listDeliveries(ann))[0]!.state, 'failed')
    })

    test('a delivery is sent again, with the same id and the object as it is now', async () => {
      await subscribe(ann)
      const id = await order(ann, { number: 'A1' })
      await runJobs()
      const [first] = target.received.splice(0)
      await api.services.database.transaction(({ kysely }) =>
        kysely.updateTable('orders').set({ amount: 5 }).where('id', '=', id).execute(),
      )
      await runJobs()
      takeMessages()
      const delivery = (await listDeliveries(ann)).find(({ event }) => event === 'orders.created')!
      const path = `/webhook-deliveries/${delivery.id}/resend/`
      await api.as(bob!).post(path).expect(404)
      assert.partialDeepStrictEqual(await api.as(ann!).post(path).expect(200).json(), { state: 'waiting', attempts: 0 })
      await api.as(ann!).post(path).expect(409)
      await runJobs()
      const [again] = target.received
      assert.equal(again!.headers['webhook-id'], first!.headers['webhook-id'])
      assert.equal(JSON.parse(again!.body).data.object.amount, 5)
    })

    test('for a day after a rotation, messages are signed with both secrets', async () => {
      const { id, secret } = await subscribe(ann)
      const { secret: next } = (await api.as(ann!).post(`/webhooks/${id}/rotate-secret/`).expect(200).json()) as {
        secret: string
      }
      const expectSecrets = async (secrets: readonly string[]) => {
        await order(ann, { number: 'A1' })
        await runJobs()
        const [{ headers, body }] = target.received.splice(0) as [Received]
        const time = new Date(Number(headers['webhook-timestamp']) * 1000)
        const signed = signMessage({ id: String(headers['webhook-id']), body }, secrets, time)
        assert.equal(headers['webhook-signature'], signed['webhook-signature'])
      }
      await expectSecrets([next, secret])
      now += 25 * 3_600_000
      await expectSecrets([next])
    })

    test('several processes make one delivery of a change', async () => {
      await subscribe(ann)
      const ids = []
      for (let count = 0; count < 5; count++) ids.push(await order(ann, { number: `A${count}` }))
      await Promise.all([runJobs(), runJobs(), runJobs()])
      await runJobs()
      assert.deepEqual(takeEvents(), ids.map(id => ['orders.created', id]).toSorted())
      assert.equal((await listDeliveries(ann)).length, 5)
    })

    test('a running service sends a change by itself', async () => {
      await subscribe(ann)
      const runner = createServiceJobs(api.services, api.app)!
      const sent = Promise.withResolvers<void>()
      target.onMessage = sent.resolve
      runner.start()
      const id = await order(ann, { number: 'A1' })
      await sent.promise
      await runner.stop(60)
      assert.deepEqual(takeEvents(), [['orders.created', id]])
    })

    test('changes that are no longer recorded are announced as a reset', async () => {
      await subscribe(ann)
      await order(ann, { number: 'A1' })
      await api.services.database.transaction(({ kysely }) =>
        kysely.updateTable('webhook_positions').set({ position: '999-1-1' }).execute(),
      )
      await runJobs()
      assert.deepEqual(
        takeMessages().map(({ type, data }) => [type, data]),
        [['orders.reset', {}]],
      )
    })

    test('the page that creates a subscription shows its secret once', async () => {
      const browser = await api.login(ann!)
      const form = new URLSearchParams({ url: target.url, resource: 'orders', filter: '', active: 'true' })
      form.append('events', 'created')
      const headers = { accept: 'text/html', origin: api.origin }
      const made = await browser.post('/webhooks/?_method=POST', form, { headers })
      assert.equal(made.status, 201, made.text)
      const [, secret = ''] = /<code>(whsec_[^<]+)<\/code>/.exec(made.text) ?? []
      assert.ok(secret, made.text)
      assert.match(made.text, /Copy it now\. It is not shown again\./)
      const [, id] = /href="[^"]*\/webhooks\/(\d+)\/"/.exec(made.text) ?? []
      const shown = await browser.get(`/webhooks/${id}/`, { headers }).expect(200)
      assert.ok(!shown.text.includes(secret))
      const rotated = await browser.post(`/webhooks/${id}/rotate-secret/?_method=POST`, new URLSearchParams(), {
        headers,
      })
      assert.match(rotated.text, /<code>whsec_/)
    })

    test('staff see and send again all deliveries in the administration, and no secret', async () => {
      const { id } = await subscribe(ann)
      await order(ann, { number: 'A1' })
      await runJobs()
      takeMessages()
      const staff = api.as(sue!)
      const { text: shown } = await staff.get(`/admin/webhooks/${id}/`).expect(200)
      assert.match(shown, /"owner":"ann"/)
      assert.doesNotMatch(shown, /whsec_/)
      await staff.patch(`/admin/webhooks/${id}/`, { url: 'https://example.org/' }).expect(405)
      const { results } = (await staff.get('/admin/webhook-deliveries/').expect(200).json()) as { results: Row[] }
      await staff.post(`/admin/webhook-deliveries/${results[0]!.id}/resend/`).expect(200)
      await runJobs()
      assert.equal(takeEvents().length, 1)
      const page = await (await api.login(sue!))
        .get(`/admin/webhook-deliveries/${results[0]!.id}/`, {
          headers: { accept: 'text/html' },
        })
        .expect(200)
      assert.match(page.text, /Send again/)
    })
  })

// Users of another system, whose ids are texts.
const eva = { isAuthenticated: true, id: 'eva', username: 'eva', isStaff: false } as const
const ticketTable = table('tickets', { columns: { id: key(), title: text(), owner: owner(text({ max: 50 })) } })
const ticketTables = tables({ owner: 'tickets', tables: [ticketTable] })
const tickets = resource('tickets', {
  table: ticketTable,
  fields: ticketTable.pick('id', 'title'),
  permissions: [authenticated, rowFilter({ owner: caller('id') })],
  feed: true,
})

for (const database of ['sqlite', 'postgres'] as const)
  test(`without a service, the owners are users of the application: ${database}`, async t => {
    const target = await startTarget()
    t.after(target.close)
    const own = createWebhooks({
      resources: [tickets],
      ids: text({ max: 50 }),
      findUser: id => (id === eva.id ? eva : undefined),
      allowsHttp: true,
      allowsPrivateAddresses: true,
      timeLimit: patience / 1000,
    })
    let opened: Database | undefined
    await using api = await testApi(
      parts => {
        opened = parts.database
        return {
          secret: 's'.repeat(40),
          resources: [tickets, ...own.resources],
          tables: ticketTables,
          migrations: [feedMigrations, jobTables, own.tables],
        }
      },
      { database },
    )
    const runner = createJobRunner({
      database: opened!,
      jobs: own.jobs,
      createContext: () => ignorePermissions(createContext(api.app, { user: anonymous })),
    })
    // A subscription that began before the first change is settled is told to read its list again.
    await settleChanges(opened!)
    await api.as(eva).post('/webhooks/', { url: target.url }).expect(201)
    await api.as(eva).post('/tickets/', { title: 'Broken' }).expect(201)
    await api
      .as({ ...eva, id: 'bob' })
      .post('/tickets/', { title: 'Lost' })
      .expect(201)
    await settleChanges(opened!)
    await runner.runDue()
    assert.deepEqual(
      target.received.map(({ body }) => JSON.parse(body).data.object),
      [{ id: 1, title: 'Broken' }],
    )
  })

interface Row {
  readonly id: number
  readonly webhook: number
  readonly event: string
  readonly object_key: string
  readonly state: string
  readonly attempts: number
  readonly status: number
  readonly error: string
  readonly active: boolean
  readonly reason: string
  readonly failures: number
  readonly switched_off_at: string | null
}

test('wrong options are errors at start that name the fix', () => {
  assert.throws(() => createWebhooks({ resources: [] }), /resources must name a resource: resources: \[orders\]/)
  const quiet = resource('quiet', { table: 'quiet', fields: { id: key() } })
  assert.throws(() => createWebhooks({ resources: [quiet] }), /"quiet" records no changes: add "feed: true"/)
  assert.throws(() => createWebhooks({ resources: [orders], retries: -1 }), /retries must be an integer of at least 0/)
})

test('a profile with the resources of webhooks but without their jobs does not start, and says what is missing', async () => {
  const { tables: schema } = shop
  const message =
    'profiles: shop has resources of createWebhooks(), but no profile has the jobs that send: add "jobs: webhooks.jobs" to shop'
  for (const name of ['declared', 'opened']) {
    const resources = [orders, ...webhooks.resources]
    const without = profile('shop', {
      tables: schema!,
      ...(name === 'declared' ? { resources } : { open: () => ({ resources }) }),
    })
    await assert.rejects(testService({ profiles: [without] }), { name: 'SettingsError', message })
  }
  const resources = profile('shop', { tables: schema!, resources: [orders, ...webhooks.resources] })
  await using api = await testService({ profiles: [resources, profile('senders', { jobs: webhooks.jobs })] })
  assert.equal(api.services.profiles.length, 2)
})
