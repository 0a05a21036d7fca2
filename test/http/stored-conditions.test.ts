// Rights that are conditions in rows: a stored condition decides which rows exist, and what a write may leave.

import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import fc from 'fast-check'
import {
  authenticated,
  boolean,
  choice,
  createContext,
  date,
  decimal,
  feedMigrations,
  forTypes,
  type Identity,
  integer,
  json,
  key,
  NotFound,
  not,
  or,
  related,
  staff,
  text,
  resource as untyped,
  rowFilter as untypedFilter,
} from 'resource-api'
import { success } from 'resource-api/extend'
import { type Condition, reference, stored, table, tables, tenant, through } from 'resource-api/tables'
import { type Feed, openFeed } from '../support/feed.ts'
import { asUser, onEachDatabase, people, userScheme } from '../support/own-api.ts'
import { randomCases } from '../support/repetitions.ts'

const organizations = table('organizations', { columns: { id: key(), name: text() } })
const regions = table('regions', { columns: { id: key(), name: text() } })
const sites = table('sites', { columns: { id: key(), name: text(), region: reference('regions', { nullable: true }) } })
const labels = table('labels', { columns: { id: key(), name: text(), color: text() } })
const devices = table('devices', {
  columns: {
    id: key(),
    name: text({ max: 50 }),
    status: choice(['active', 'planned', 'retired']),
    site: reference('sites'),
    parcel: reference('parcels', { nullable: true }),
    price: decimal({ maxDigits: 8, decimalPlaces: 2, nullable: true }),
    bought: date({ nullable: true }),
    slots: integer({ default: 0 }),
    is_spare: boolean({ default: false }),
    notes: json({ nullable: true }),
  },
  many: { labels: through('device_labels') },
})
const deviceLabels = table('device_labels', {
  key: ['device', 'label'],
  columns: { device: reference('devices', { onDelete: 'cascade' }), label: reference('labels') },
})
const ports = table('ports', {
  columns: { id: key(), name: text(), device: reference('devices', { nullable: true, onDelete: 'set null' }) },
})
const parcels = table('parcels', {
  columns: { id: key(), name: text(), organization: tenant('organizations') },
})
const grants = table('grants', {
  columns: { id: key(), user: integer({ column: 'user_id' }), action: text(), condition: json({ nullable: true }) },
})
const schema = tables({
  owner: 'devices',
  tables: [organizations, regions, sites, labels, devices, deviceLabels, ports, parcels, grants],
})
const { resource, rowFilter } = forTypes<Identity & { readonly tenant?: number }, typeof schema>()

const actions: Readonly<Record<string, string>> = { POST: 'add', PUT: 'change', PATCH: 'change', DELETE: 'delete' }
/** Conditions that every caller has. */
let conditions: readonly object[] = []
const granted = stored(async ({ user, method, view }) => {
  const rows = await view
    .connection()
    .kysely.selectFrom('grants')
    .select('condition')
    .where('user_id', '=', user.id)
    .where('action', '=', actions[method] ?? 'view')
    .execute()
  return [...conditions, ...rows.map((row: { condition: unknown }) => row.condition)]
})

const siteResource = resource('sites', { table: sites, fields: sites.pick('id', 'name') })
const deviceResource = resource('devices', {
  table: devices,
  pagination: null,
  feed: true,
  bulk: 'atomic',
  fields: {
    ...devices.pick('id', 'name', 'status', 'price', 'bought', 'slots', 'is_spare', 'notes'),
    site: related(siteResource),
  },
  permissions: [authenticated, rowFilter(granted), rowFilter(granted, { refuses: true, allowsSafe: true })],
})
const portResource = resource('ports', {
  table: ports,
  pagination: null,
  fields: { ...ports.pick('id', 'name'), device: related(deviceResource, { nullable: true }) },
})
const staffDevices = resource('staff-devices', {
  table: devices,
  pagination: null,
  actions: ['list', 'update'],
  fields: { ...devices.pick('id', 'name'), site: related(siteResource) },
  permissions: [or(staff, rowFilter(granted, { refuses: true, message: 'Not yours.', code: 'not_yours' }))],
  lists: { spare: { permissions: [authenticated, rowFilter(granted)], rows: { is_spare: true } } },
})

const log: string[] = []

/** `X-Organization` names the tenant of the caller. */
const scheme: typeof userScheme = {
  ...userScheme,
  varyOn: ['x-user', 'x-organization'],
  async authenticate(request, ...others) {
    const found = await userScheme.authenticate(request, ...others)
    const organization_id = Number(request.headers['x-organization'] ?? 0)
    return found?.outcome === 'success' ? success({ ...(found.user as Identity), organization_id }, 'a header') : found
  },
}

onEachDatabase(
  () => ({ resources: [siteResource, deviceResource, portResource, staffDevices], authentication: [scheme] }),
  api => {
    const send = (user: keyof typeof people, method: string, url: string, given?: unknown) =>
      api().client.request(method, url, { ...asUser(user), ...(given !== undefined && { json: given }) })
    const names = async (user: keyof typeof people, url = '/devices/') => {
      const { status, text: body } = await send(user, 'GET', url)
      assert.equal(status, 200, body)
      return JSON.parse(body)
        .map(({ name }: { name: string }) => name)
        .toSorted()
    }
    const grant = (condition: unknown, action = 'view', user = 1) =>
      api().insert('grants', [{ user_id: user, action, condition: JSON.stringify(condition) }])
    const revoke = () => api().database.transaction(({ kysely }) => kysely.deleteFrom('grants').execute())
    const spare = () => (api().url.startsWith('sqlite') ? 1 : true)
    let ids: Record<string, number> = {}
    const feeds: Feed[] = []
    afterEach(() => {
      for (const feed of feeds.splice(0)) feed.close()
    })
    beforeEach(async () => {
      log.length = 0
      await api().database.transaction(async ({ kysely }) => {
        for (const name of [
          'grants',
          'ports',
          'device_labels',
          'devices',
          'parcels',
          'organizations',
          'labels',
          'sites',
          'regions',
        ])
          await kysely.deleteFrom(name).execute()
      })
      const [north, south] = (await api().insert('regions', [{ name: 'north' }, { name: 'south' }])) as [number, number]
      const [a, b] = (await api().insert('sites', [
        { name: 'a', region_id: north },
        { name: 'b', region_id: south },
      ])) as [number, number]
      const created = await api().insert('devices', [
        { name: 'one', status: 'active', site_id: a, price: 10.5, bought: '2026-01-02', slots: 4, is_spare: spare() },
        { name: 'Two', status: 'planned', site_id: a, slots: 8, is_spare: spare() },
        { name: 'three', status: 'active', site_id: b, price: 20, bought: '2026-03-04', slots: 0, is_spare: spare() },
      ])
      const [red, blue] = (await api().insert('labels', [
        { name: 'core', color: 'red' },
        { name: 'edge', color: 'blue' },
      ])) as [number, number]
      ids = { north, south, a, b, one: created[0]!, two: created[1]!, three: created[2]!, red, blue }
      await api().database.transaction(({ kysely }) =>
        kysely
          .insertInto('device_labels')
          .values([
            { device_id: ids.one, label_id: red },
            { device_id: ids.three, label_id: red },
            { device_id: ids.three, label_id: blue },
          ])
          .execute(),
      )
    })

    test('without a stored condition, no row exists', async () => {
      assert.deepEqual(await names('ann'), [])
      assert.equal((await send('ann', 'GET', `/devices/${ids.one}/`)).status, 404)
      assert.equal((await send('ann', 'POST', '/devices/', { name: 'x', status: 'active', site: ids.a })).status, 403)
      assert.equal((await api().rows('devices')).length, 3)
    })

    test('the rows that fulfil one of the conditions exist', async () => {
      for (const [conditions, found] of [
        [[{ status: 'active' }], ['one', 'three']],
        [
          [{ status: 'planned' }, { name: 'three' }],
          ['Two', 'three'],
        ],
        [[{}], ['Two', 'one', 'three']],
        [
          [{ status: 'retired' }, {}],
          ['Two', 'one', 'three'],
        ],
        [[[{ name: 'one' }, { name: 'Two' }]], ['Two', 'one']],
        [[{ status: 'active', 'site.region.name': 'north' }], ['one']],
        [[{ status: 'active', site__region__name: 'north' }], ['one']],
        [[{ site__region: ids.south }], ['three']],
        [[{ site: { region__in: [ids.north] } }], ['Two', 'one']],
        [[{ site: ids.b }], ['three']],
        [[{ status__in: ['planned', 'retired'] }], ['Two']],
        [[{ status__not: 'active' }], ['Two']],
        [[{ not: { status: 'active' } }], ['Two']],
        [[{ or: [{ slots__gt: 4 }, { price__gte: '20.00' }] }], ['Two', 'three']],
        [[{ and: [{ slots__lt: 8 }, { slots__gte: 4 }] }], ['one']],
        [[{ slots__range: [1, 4] }], ['one']],
        [[{ price: null }], ['Two']],
        [[{ price__isnull: false }], ['one', 'three']],
        [[{ price: 10.5 }], ['one']],
        [[{ bought__lte: '2026-02-01' }], ['one']],
        [[{ is_spare: true, name__icontains: 'T' }], ['Two', 'three']],
        [[{ name__startswith: 'T' }], ['Two']],
        [[{ name__iregex: '^t.o$' }], ['Two']],
        [[{ name: "'; drop table devices; --" }], []],
        [[{ labels__name: 'edge' }], ['three']],
        // As in Django, both are about one label.
        [[{ labels__name: 'core', labels__color: 'blue' }], []],
        [[{ 'labels.name': 'core', 'labels.color': 'blue' }], ['three']],
      ] as [Condition[], string[]][]) {
        await revoke()
        for (const condition of conditions) await grant(condition)
        assert.deepEqual(await names('ann'), found, JSON.stringify(conditions))
      }
      assert.deepEqual(log, [])
    })

    test('a wrong condition gives no right and is logged, and the others still hold', async () => {
      for (const [condition, problem] of [
        [{ stat: 'active' }, /there is no column "stat"/],
        [{ status__like: 'active' }, /there is no lookup "like"/],
        [{ 'site.regio': 1 }, /there is no column "regio"/],
        [{ 'sit.region': 1 }, /has no relation "sit"/],
        [{ site__regio: 1 }, /there is no column "regio"/],
        [{ site: { region: { name: { x: 1 } } } }, /has no relation "name"/],
        [{ status: 'lost' }, /condition "status".*is not a valid choice/],
        [{ status: null, slots: 'many' }, /A valid integer is required/],
        [{ slots__gt: null }, /condition "slots__gt"/],
        [{ slots: { placeholder: 'caller', property: 'id' } }, /has no relation "slots"/],
        [{ slots: [1] }, /condition "slots"/],
        [{ slots__in: 1 }, /write a list of values/],
        [{ slots__range: [1, 2, 3] }, /write two values/],
        [{ slots__in: Array.from({ length: 1001 }, (_, each) => each) }, /at most 1000 values/],
        [{ slots__icontains: '1' }, /does not fit/],
        [{ name__icontains: '' }, /may not be blank/],
        [{ name__regex: '(a' }, /mistake at character 1/],
        [{ name__regex: 'a'.repeat(201) }, /no more than 200 characters/],
        [{ name: 'a\0b' }, /Null characters/],
        [{ name: 7 }, /write a text/],
        [{ price__isnull: 'yes' }, /write true or false/],
        [{ bought: '2026-02-30' }, /Date has wrong format/],
        [{ notes: 'x' }, /does not fit/],
        [{ constructor: 1 }, /there is no column "constructor"/],
        [{ or: [] }, /"or" must be a list of conditions/],
        [{ not: [] }, /must be an object/],
        [{ or: [{ status: 'active' }, 7] }, /must be an object, not 7/],
        [{ or: Array.from({ length: 101 }, () => ({ slots: 0 })) }, /more than 100 parts/],
        [Array.from({ length: 12 }).reduce<object>(inner => ({ not: inner }), { slots: 0 }), /more than 10 levels/],
        [null, /must be an object, not null/],
        ['active', /must be an object, not/],
        [true, /must be an object, not true/],
      ] as [unknown, RegExp][]) {
        await revoke()
        log.length = 0
        // The same text is logged once, also if two services of a process read it.
        await grant([{ name: api().url }, condition])
        assert.deepEqual(await names('ann'), [], JSON.stringify(condition))
        assert.equal((await send('ann', 'GET', `/devices/${ids.one}/`)).status, 404)
        const [line, ...others] = log
        assert.deepEqual(others, [], 'once')
        assert.match(JSON.parse(line!).err.message, problem)
        await grant({ name: 'one' })
        assert.deepEqual(await names('ann'), ['one'])
      }
    })

    test('more conditions than the most give no rights', async () => {
      const many = Array.from({ length: 201 }, (_, slots) => ({ slots }))
      await grant(many)
      assert.deepEqual(await names('ann'), [])
      assert.ok(log.some(line => line.includes('201 stored conditions')))
      await grant({})
      assert.equal((await names('ann')).length, 3)
    })

    test('a command has the rights of its user, and a wrong condition does not end it', async ({ mock }) => {
      const write = mock.method(console, 'error', () => {})
      const change = () => {
        const context = createContext(api().app, { user: { ...people.ann, organization_id: 0 } })
        return deviceResource.update(ids.one!, { slots: 5 }, context as never)
      }
      await grant([{ name: `command ${api().url}` }, { colour: 'red' }], 'change')
      await assert.rejects(change(), NotFound)
      assert.match(String(write.mock.calls[0]?.arguments[0]), /a command: a stored condition on the table "devices"/)
      await grant({ name: 'one' }, 'change')
      await grant({})
      assert.equal((await change()).values.slots, 5)
    })

    test('no JSON of a condition is an error, or shows more rows than the condition says', async () => {
      const name = fc.constantFrom(
        ...['name', 'status', 'site', 'parcel', 'price', 'bought', 'slots', 'is_spare', 'notes', 'labels', 'id'],
        ...['site__region', 'site.name', 'labels__color', 'ports', 'and', 'or', 'not', 'x', '__proto__', ''],
      )
      const lookup = fc.constantFrom(
        ...['', '__not', '__in', '__range', '__isnull', '__gt', '__lte', '__icontains', '__not__in', '__x', '__', '.'],
      )
      const value = fc.oneof(
        fc.constantFrom(
          null,
          true,
          0,
          1,
          -1,
          1e30,
          0.1,
          '',
          'one',
          'active',
          '2026-01-02',
          '10.50',
          'NaN',
          '\0',
          '\ud800',
          '%',
        ),
        fc.jsonValue({ maxDepth: 2 }),
      )
      const { condition } = fc.letrec(tie => ({
        condition: fc.dictionary(
          fc.tuple(name, lookup).map(parts => parts.join('')),
          fc.oneof({ weight: 4, arbitrary: value }, tie('condition'), fc.array(tie('condition'), { maxLength: 2 })),
          { maxKeys: 3 },
        ),
      }))
      const property = fc.asyncProperty(condition as fc.Arbitrary<object>, async given => {
        await revoke()
        const list = await send('ann', 'GET', '/devices/')
        assert.deepEqual(list.json(), [])
        conditions = [given]
        try {
          const { status, text: body } = await send('ann', 'GET', '/devices/')
          assert.equal(status, 200, body)
          conditions = [{ and: [given, { not: given }] }]
          assert.deepEqual(await names('ann'), [])
        } finally {
          conditions = []
        }
      })
      await fc.assert(property, { numRuns: randomCases(500) })
    })

    test('each action has its conditions, and a write must leave a row that fulfils them', async () => {
      await grant({})
      await grant({ site__region: ids.north }, 'add')
      await grant({ status: 'planned' }, 'change')
      const refused = { detail: 'You do not have permission to perform this action.' }
      const give = { name: 'x', status: 'active', slots: 1 }
      const wrong = await send('ann', 'POST', '/devices/', { ...give, site: ids.b })
      assert.deepEqual([wrong.status, wrong.json()], [403, refused])
      assert.equal((await send('ann', 'POST', '/devices/', { ...give, site: ids.a })).status, 201)
      const items = [
        { ...give, site: ids.a },
        { ...give, site: ids.b },
      ]
      assert.equal((await send('ann', 'POST', '/devices/', items)).status, 403)
      assert.equal((await send('ann', 'PATCH', `/devices/${ids.one}/`, { slots: 2 })).status, 404)
      assert.equal((await send('ann', 'PATCH', `/devices/${ids.two}/`, { slots: 2 })).status, 200)
      const left = await send('ann', 'PATCH', `/devices/${ids.two}/`, { status: 'retired' })
      assert.deepEqual([left.status, left.json()], [403, refused])
      assert.equal((await send('ann', 'DELETE', `/devices/${ids.two}/`)).status, 404)
      assert.deepEqual(
        (await api().rows('devices')).map(({ name, status, slots }) => `${name} ${status} ${slots}`),
        ['one active 4', 'Two planned 2', 'three active 0', 'x active 1'],
      )
      await grant({ name: 'Two' }, 'delete')
      assert.equal((await send('ann', 'DELETE', `/devices/${ids.two}/`)).status, 204)
    })

    test('another resource shows and accepts only the rows that exist for the caller', async () => {
      const [port] = await api().insert('ports', [{ name: 'p', device_id: ids.three }])
      const shown = async () => (await send('ann', 'GET', `/ports/${port}/`)).json().device
      assert.equal(await shown(), null)
      const missing = await send('ann', 'PATCH', `/ports/${port}/`, { device: ids.one })
      assert.deepEqual(missing.json(), { device: [`Invalid pk "${ids.one}" - object does not exist.`] })
      await grant({ status: 'active' })
      assert.equal(await shown(), ids.three)
      assert.equal((await send('ann', 'PATCH', `/ports/${port}/`, { device: ids.one })).status, 200)
      await revoke()
      assert.equal(await shown(), null)
    })

    test('a condition on rows of another tenant holds for no row', async () => {
      const [own, other] = (await api().insert('organizations', [{ name: 'o' }, { name: 'p' }])) as [number, number]
      const [parcel] = await api().insert('parcels', [{ name: 'box', organization_id: own }])
      await api().database.transaction(({ kysely }) =>
        kysely.updateTable('devices').set({ parcel_id: parcel }).where('id', '=', ids.one).execute(),
      )
      await grant({ parcel__name: 'box' })
      const list = async (organization: number) => {
        const headers = { 'x-user': 'ann', 'x-organization': String(organization) }
        return (await api().client.get('/devices/', { headers })).json().length
      }
      assert.deepEqual([await list(own), await list(other), await list(own)], [1, 0, 1])
    })

    test('rights that change hold for the next request, also for one that has the tag of a former response', async () => {
      await grant({ name: 'one' })
      const list = await send('ann', 'GET', '/devices/')
      const object = await send('ann', 'GET', `/devices/${ids.one}/`)
      assert.deepEqual([list.json().length, object.status], [1, 200])
      assert.equal((await send('bob', 'GET', `/devices/${ids.one}/`)).status, 404)
      await revoke()
      const repeat = (url: string, response: typeof list) =>
        api().client.request('GET', url, {
          headers: { 'x-user': 'ann', 'if-none-match': String(response.headers.etag) },
        })
      assert.equal((await repeat(`/devices/${ids.one}/`, object)).status, 404)
      assert.deepEqual((await repeat('/devices/', list)).json(), [])
      await grant({ name: 'one' }, 'view', 2)
      assert.deepEqual([await names('ann'), await names('bob')], [[], ['one']])
    })

    test('a feed follows the rights as they are when it sends', async () => {
      await grant({ status: 'active' })
      for (const action of ['add', 'change']) await grant({}, action, 3)
      await grant({}, 'view', 3)
      const feed = await openFeed(`${api().app.listeningOrigin}/devices/feed/`, { 'x-user': 'ann' })
      feeds.push(feed)
      assert.equal((await feed.next()).event, 'ready')
      const change = (id: number, slots: number) => send('sue', 'PATCH', `/devices/${id}/`, { slots })
      await change(ids.two!, 1)
      await change(ids.one!, 1)
      const { event, key: sent } = await feed.next()
      assert.deepEqual([event, sent], ['changed', ids.one])
      await revoke()
      for (const action of ['add', 'change', 'view']) await grant({}, action, 3)
      await grant({ status: 'planned' })
      await change(ids.one!, 2)
      await change(ids.two!, 2)
      const next = await feed.next()
      assert.deepEqual([next.event, next.key], ['changed', ids.two])
    })

    test('stored conditions combine with other permissions, also of a list', async () => {
      assert.equal((await names('ann', '/staff-devices/')).length, 3)
      const refused = await send('ann', 'PATCH', `/staff-devices/${ids.one}/`, { name: 'x' })
      assert.deepEqual(
        [refused.status, refused.json()],
        [403, { detail: 'You do not have permission to perform this action.' }],
      )
      assert.equal((await send('sue', 'PATCH', `/staff-devices/${ids.one}/`, { name: 'x' })).status, 200)
      await grant({ name__startswith: 'x' }, 'change')
      assert.equal((await send('ann', 'PATCH', `/staff-devices/${ids.one}/`, { name: 'y' })).status, 403)
      assert.equal((await send('ann', 'PATCH', `/staff-devices/${ids.one}/`, { name: 'xy' })).status, 200)
      assert.deepEqual(await names('ann', '/staff-devices/spare/'), [])
      await grant({ name: 'xy' })
      assert.deepEqual(await names('ann', '/staff-devices/spare/'), ['xy'])
    })
  },
  {
    migrations: {},
    owners: [feedMigrations, schema],
    socket: true,
    log: line => void (line.includes('gives no rights') && log.push(line)),
  },
)

suite('declarations', () => {
  test('the opposite of stored conditions is refused', () => {
    for (const options of [{}, { refuses: true }])
      assert.throws(() => not(untypedFilter(granted as never, options)), /not\(\): the opposite of stored conditions/)
  })

  test('stored conditions need a declared table', () => {
    assert.throws(
      () =>
        untyped('devices', {
          table: 'devices',
          fields: { name: text() },
          permissions: [untypedFilter(granted as never)],
        }),
      /it needs the declared table of the resource/,
    )
  })
})
