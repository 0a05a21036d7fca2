// Files of objects that are written together: of children, and of the items of one request.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  createContext,
  type Envelope,
  file,
  folder,
  idempotencyMigrations,
  integer,
  key,
  type Migrations,
  nested,
  objectView,
  related,
  resource,
  text,
} from 'resource-api'
import { ann, createForm, onEachDocuments } from '../support/documents.ts'
import { eventually } from '../support/patience.ts'

const ticketMigrations: Migrations = {
  async '0001_tickets'({ schema }, { key, reference, text, json }) {
    await schema
      .createTable('tickets')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('cover', json)
      .execute()
    await schema
      .createTable('scans')
      .addColumn('id', key)
      .addColumn('ticket_id', reference, column => column.references('tickets.id').onDelete('cascade'))
      .addColumn('name', text, column => column.notNull())
      .addColumn('content', json)
      .addColumn('proof', json)
      .execute()
  },
}
const owners = [{ owner: 'tickets', steps: ticketMigrations }, idempotencyMigrations]

interface Mode {
  readonly bulk: 'atomic' | 'each'
  readonly trailingSlash: boolean
  readonly envelope?: Envelope
}

const declare = (path: string, { bulk, envelope }: Mode) => {
  const store = folder(path)
  const shared = { bulk, ...(envelope && { envelope }) }
  const scans = resource('scans', {
    table: 'scans',
    fields: {
      id: key(),
      ticket: related('tickets', { nullable: true }),
      name: text({ max: 10 }),
      content: file({ store, nullable: true }),
      proof: file({ store, access: 'signed', nullable: true }),
    },
    lists: { complete: { rows: ({ row }) => sql`${row.content} is not null` } },
    ...shared,
  })
  const tickets = resource('tickets', {
    table: 'tickets',
    fields: {
      id: key(),
      title: text(),
      cover: file({ store, nullable: true }),
      scans: nested({
        of: scans,
        many: { reverse: 'ticket_id' },
        fields: ['id', 'name', 'content', 'proof'],
        writable: true,
      }),
    },
    objectViews: {
      keep: objectView({
        body: { scan: integer() },
        response: 'representation',
        handlers: { POST: ({ body, update }) => update({ scans: [{ id: body.scan }] }) },
      }),
    },
    normalize({ cover, ...others }) {
      return cover === undefined || others.title === 'without cover' ? others : { cover, ...others }
    },
    ...shared,
  })
  return { scans, tickets }
}

interface Shown {
  readonly url: string
}
interface Scan {
  readonly id: number
  readonly content: Shown | null
  readonly proof: Shown | null
}

for (const mode of [
  { bulk: 'atomic', trailingSlash: true },
  { bulk: 'each', trailingSlash: false, envelope: { one: 'item', many: 'items' } },
] satisfies readonly Mode[])
  suite(mode.bulk, () => defineTests(mode))

function defineTests(mode: Mode): void {
  const end = mode.trailingSlash ? '/' : ''
  const hasEnvelope = 'envelope' in mode
  const wrap = (body: object) => (hasEnvelope ? { item: body } : body)
  const unwrap = <Body>(json: unknown): Body => (hasEnvelope ? (json as { item: Body }).item : (json as Body))
  let declared: ReturnType<typeof declare>
  onEachDocuments(
    path => {
      declared = declare(path, mode)
      return {
        resources: [declared.scans, declared.tickets],
        trailingSlash: mode.trailingSlash,
        secret: 's'.repeat(32),
        idempotencyKeys: true,
      }
    },
    documents => {
      const client = () => documents().api.as(ann)
      const isGone = (before: readonly string[]) =>
        eventually(
          async () => JSON.stringify(await documents().listFiles()) === JSON.stringify(before),
          'the removal of files',
        )
      const createTicket = async () =>
        unwrap<{ id: number }>(
          (
            await client()
              .post(`/tickets${end}`, wrap({ title: 'a' }))
              .expect(201)
          ).json(),
        ).id
      const createScan = async (ticket?: number) => {
        const form = createForm({
          name: 'a',
          content: ['content', 'a.txt'],
          proof: ['proof', 'b.txt'],
          ...(ticket !== undefined && { ticket: String(ticket) }),
        })
        return unwrap<Scan>((await client().post(`/scans${end}`, form).expect(201)).json())
      }
      const ticketUrl = (id: number) => `/tickets/${id}${end}`
      const readScans = async (id: number) =>
        unwrap<{ scans: readonly Scan[] }>((await client().get(ticketUrl(id)).expect(200)).json()).scans

      test('a list of children keeps, removes and clears their files', async () => {
        const before = await documents().listFiles()
        const ticket = await createTicket()
        const scans = [await createScan(ticket), await createScan(ticket), await createScan(ticket)]
        const url = ticketUrl(ticket)
        const [kept, cleared] = scans as [Scan, Scan, Scan]
        const tag = (await client().get(url).expect(200)).headers.get('etag')!
        const body = wrap({
          scans: [
            { id: kept.id, name: 'kept' },
            { id: cleared.id, content: null },
          ],
        })
        const headers = { 'if-match': tag }
        const shown = unwrap<{ scans: readonly Scan[] }>(
          (await client().patch(url, body, { headers }).expect(200)).json(),
        ).scans
        assert.deepEqual(
          shown.map(({ content, proof }) => [content !== null, proof !== null]),
          [
            [true, true],
            [false, true],
          ],
        )
        await client().patch(url, body, { headers }).expect(412)
        await eventually(async () => (await documents().listFiles()).length === before.length + 3, 'the removal')
        for (const { proof } of shown) {
          assert.match(proof!.url, /signature=/)
          assert.deepEqual(Object.keys(proof!), ['url', 'name', 'type', 'size'])
        }
        for (const [found, content] of [
          [kept.content!, 'content'],
          [shown[0]!.proof!, 'proof'],
          [shown[1]!.proof!, 'proof'],
        ] as const)
          assert.equal((await documents().api.get(found.url).expect(200)).text, content)
        await client()
          .patch(url, wrap({ scans: [] }))
          .expect(200)
        await isGone(before)
      })

      test('a request that fails removes no file of a child', async () => {
        const ticket = await createTicket()
        const scan = await createScan(ticket)
        const before = await documents().listFiles()
        await client()
          .patch(ticketUrl(ticket), wrap({ title: '', scans: [] }))
          .expect(400)
        const wrong = { id: scan.id, content: { url: 'x' }, name: 'far too long' }
        const { json } = await client()
          .patch(ticketUrl(ticket), wrap({ scans: [wrong] }))
          .expect(400)
        assert.deepEqual(json(), {
          scans: [
            {
              name: ['Ensure this field has no more than 10 characters.'],
              content: [
                'Send the file to the URL of its own resource, in a body of the type multipart/form-data. In JSON, null removes it.',
              ],
            },
          ],
        })
        assert.deepEqual(await documents().listFiles(), before)
      })

      test('a form contains the file of the parent, and not those of children', async () => {
        const before = await documents().listFiles()
        const scans = JSON.stringify([{ name: 'new' }])
        const form = createForm({ title: 'a', scans, cover: ['cover', 'c.txt'] })
        const ticket = unwrap<{ id: number }>((await client().post(`/tickets${end}`, form).expect(201)).json()).id
        assert.equal((await documents().listFiles()).length, before.length + 1)
        for (const name of ['scans', 'scans[0][content]', 'scans.0.content']) {
          const refused = createForm({ title: 'a', cover: ['cover', 'c.txt'], [name]: ['x', 'x.txt'] })
          const { json } = await client().post(`/tickets${end}`, refused).expect(400)
          assert.deepEqual(json(), {
            scans: ['Files cannot be sent inside this field. Send each to the URL of its own object.'],
          })
        }
        assert.equal((await documents().listFiles()).length, before.length + 1)
        await client().delete(ticketUrl(ticket)).expect(204)
        await isGone(before)
      })

      test('a file whose field normalize leaves out is not kept', async () => {
        const before = await documents().listFiles()
        const form = createForm({ title: 'without cover', cover: ['cover', 'c.txt'] })
        const { json } = await client().post(`/tickets${end}`, form).expect(201)
        assert.equal(unwrap<{ cover: unknown }>(json()).cover, null)
        assert.deepEqual(await documents().listFiles(), before)
      })

      test('many objects are changed and deleted with their files', async () => {
        const before = await documents().listFiles()
        const [first, second] = [await createScan(), await createScan()]
        const url = `/scans${end}`
        const items = [first, second].map(({ id }) => ({ id, content: null }))
        await client()
          .patch(url, items)
          .expect(mode.bulk === 'each' ? 207 : 200)
        await eventually(async () => (await documents().listFiles()).length === before.length + 2, 'the removal')
        // In the mode `each`, each item has its own savepoint once one of them fails.
        const body = mode.bulk === 'each' ? [first.id, 999_999, second.id] : [first.id, second.id]
        const deleted = await client().request({ method: 'DELETE', path: url, body })
        assert.equal(deleted.status, mode.bulk === 'each' ? 207 : 204)
        await isGone(before)
      })

      test('a refused item keeps its file', async () => {
        const before = await documents().listFiles()
        const scan = await createScan()
        const created = await documents().listFiles()
        const items = [{ id: scan.id, content: null, name: 'far too long' }]
        const { json } = await client().patch(`/scans${end}`, items)
        const errors = { name: ['Ensure this field has no more than 10 characters.'] }
        assert.deepEqual(json(), mode.bulk === 'each' ? [{ status: 400, body: errors }] : [errors])
        assert.deepEqual(await documents().listFiles(), created)
        await client().delete(`/scans/${scan.id}${end}`).expect(204)
        await isGone(before)
      })

      test('a repeated upload with children is written once', async () => {
        const before = await documents().listFiles()
        const post = () =>
          client().post(
            `/tickets${end}`,
            createForm({ title: 'a', scans: '[{"name": "new"}]', cover: ['cover', 'c.txt'] }),
            { headers: { 'idempotency-key': `with children ${before.length}` } },
          )
        const [first, second] = [await post().expect(201), await post().expect(201)]
        assert.equal(second.text, first.text)
        assert.equal((await documents().listFiles()).length, before.length + 1)
        const { id } = unwrap<{ id: number }>(first.json())
        await client().delete(ticketUrl(id)).expect(204)
        await isGone(before)
      })

      test('called actions and update() of views write children with files', async () => {
        const before = await documents().listFiles()
        const context = createContext(documents().api.app, { user: ann })
        const { key: id } = await declared.tickets.create({ title: 'a', scans: [{ name: 'new' }] }, context)
        const [made] = await readScans(id)
        const [second, third] = [await createScan(id), await createScan(id)]
        await declared.tickets.update(id, { scans: [{ id: second.id }, { id: third.id, proof: null }] }, context)
        assert.deepEqual(
          (await readScans(id)).map(scan => scan.id),
          [second.id, third.id],
        )
        assert.notEqual(made, undefined)
        await eventually(async () => (await documents().listFiles()).length === before.length + 3, 'the removal')
        await client()
          .post(`/tickets/${id}/keep${end}`, wrap({ scan: third.id }))
          .expect(200)
        await eventually(async () => (await documents().listFiles()).length === before.length + 1, 'the removal')
        await declared.scans.destroy(third.id, context)
        await isGone(before)
      })

      test('lists of some rows show the URLs of files', async () => {
        const scan = await createScan()
        const { json } = await client().get(`/scans/complete${end}`).expect(200)
        const found = json() as readonly Scan[] | { items: readonly Scan[] }
        const { content, proof } = ('items' in found ? found.items : found).find(({ id }) => id === scan.id)!
        assert.equal((await client().get(content!.url).expect(200)).text, 'content')
        assert.equal((await client().get(proof!.url).expect(200)).text, 'proof')
      })
    },
    owners,
  )
}
