// Columns, fields and options that several resources share, as docs/resources.md shows them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authenticated,
  dateTime,
  forTypes,
  type Identity,
  integer,
  key,
  or,
  ownerOrReadOnly,
  type Representation,
  readOnly,
  staff,
  text,
} from 'resource-api'
import { created, deleted, owner, table, tables, updated } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const audit = {
  columns: { created_at: created(), updated_at: updated(), created_by: owner(integer()), deleted_at: deleted() },
  fields: { created_at: readOnly(dateTime()), created_by: readOnly(integer({ column: 'created_by_id' })) },
  filters: { created_at: ['gte', 'lt'], created_by: true },
  options: { permissions: [authenticated, or(staff, ownerOrReadOnly('created_by_id'))], ordering: ['-created_at'] },
  prepare: ({ values }: { readonly values: { readonly name?: string } }) => ({
    slug: values.name?.toLowerCase() ?? null,
  }),
} as const

const labels = table('labels', {
  columns: { id: key(), name: text(), slug: text({ nullable: true }), ...audit.columns },
})
const states = table('states', { columns: { id: key(), title: text(), ...audit.columns } })
const schema = tables({ owner: 'tracker', tables: [labels, states] })
const { resource } = forTypes<Identity, typeof schema>()

const labelResource = resource('labels', {
  ...audit.options,
  table: labels,
  pagination: null,
  fields: { ...labels.pick('id', 'name'), slug: readOnly(text({ nullable: true })), ...audit.fields },
  filters: { ...audit.filters, name: true },
  hookColumns: ['slug'],
  prepare: ({ values }) => ({ ...audit.prepare({ values }) }),
})
const stateResource = resource('states', {
  ...audit.options,
  table: states,
  pagination: null,
  fields: { ...states.pick('id', 'title'), ...audit.fields },
  filters: audit.filters,
})
// @ts-expect-error the part needs a column that the table lacks
resource('bare', { ...audit.options, table: table('bare', { columns: { id: key() } }), fields: {} })

onEachDatabase(
  () => ({ resources: [labelResource, stateResource], authentication: [userScheme] }),
  api => {
    test('each resource has the columns, fields and options', async () => {
      for (const [path, body] of [
        ['/labels/', { name: 'Bug' }],
        ['/states/', { title: 'Open' }],
      ] as const) {
        const made = await api().client.post(path, { ...asUser('ann'), json: body })
        const shown: Pick<Representation<typeof labelResource>, 'id' | 'created_by' | 'created_at'> = made.json()
        assert.deepEqual([made.status, shown.created_by, typeof shown.created_at], [201, 1, 'string'])
        const url = `${path}${shown.id}/`
        assert.equal((await api().client.request('DELETE', url, asUser('bob'))).status, 403)
        assert.equal(
          (await api().client.get(`${path}?created_by=1&created_at__lt=2001-01-01T00:00:00Z`, asUser('bob'))).text,
          '[]',
        )
        assert.equal((await api().client.request('DELETE', url, asUser('ann'))).status, 204)
        assert.equal((await api().rows(path.slice(1, -1))).length, 1)
      }
    })

    test('a hook calls that of the part', async () => {
      const made = await api().client.post('/labels/', { ...asUser('ann'), json: { name: 'Bug' } })
      assert.equal(made.json().slug, 'bug')
    })
  },
  { migrations: {}, owners: [schema] },
)
