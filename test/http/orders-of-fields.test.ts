// Fields whose order is another one than that of their values.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { sql } from 'kysely'
import {
  browsable,
  computed,
  cursor,
  findDocument,
  integer,
  json,
  jsonRenderer,
  key,
  related,
  resource,
  text,
} from 'resource-api'
import { reference, table, tables } from 'resource-api/tables'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const versionTable = table('releases', {
  columns: { id: key(), version: text(), version_key: text({ nullable: true }), size: text() },
})
const downloadTable = table('downloads', { columns: { id: key(), release: reference('releases', { nullable: true }) } })
const schema = tables({ owner: 'releases', tables: [versionTable, downloadTable] })

/** A text that sorts as the version: numbers have ten digits, and a release is after its pre-releases. */
function toKey(version: string): string {
  const [, numbers = '', pre = ''] = /^([\d.]+)(?:-([^+]*))?/.exec(version) ?? []
  const pad = (part: string) => (/^\d+$/.test(part) ? `0${part.padStart(10, '0')}` : `1${part}`)
  return [...numbers.split('.').map(pad), pre === '' ? '~' : pre.split('.').map(pad).join('!')].join('.')
}
const versions = resource('releases', {
  table: versionTable,
  fields: {
    id: key(),
    version: text({ orderedBy: computed(text({ nullable: true }), ({ row }) => sql`${row.version_key}`) }),
    // Small, medium, large.
    size: text({
      orderedBy: computed(integer(), ({ row }) => sql`case ${row.size} when 'S' then 1 when 'M' then 2 else 3 end`),
    }),
  },
  hookColumns: ['version_key'],
  prepare: ({ values }) => ({ version_key: toKey(values.version) }),
  ordering: ['-version'],
  orderingFields: ['version', 'size'],
  filters: { version: true },
  strict: true,
})
const paged = resource('paged', {
  table: versionTable,
  fields: versions.fields,
  actions: ['list'],
  pagination: cursor({ pageSize: 2, ordering: ['version'] }),
})
/** The newest version is first among those of one size. */
const sized = resource('sized', {
  table: versionTable,
  fields: versions.fields,
  actions: ['list'],
  orderingFields: ['size', 'version'],
  orderingTies: ['-version'],
  pagination: cursor({ pageSize: 4, ordering: ['version'] }),
})
const downloads = resource('downloads', {
  table: downloadTable,
  fields: { id: key(), release: related(versions, { nullable: true }) },
  orderingFields: ['release.version'],
})

onEachDatabase(
  () => ({
    resources: [versions, paged, sized, downloads],
    authentication: [userScheme],
    renderers: [jsonRenderer, browsable()],
    secret: 'x'.repeat(32),
  }),
  api => {
    const read = async (path: string) => (await api().client.get(path, asUser('ann'))).json()
    const list = async (path: string) => (await read(path)).map(({ version }: { version: string }) => version)
    const ordered = ['1.2.0-alpha', '1.2.0-beta.2', '1.2.0-beta.11', '1.2.0', '1.10.0', '2.0.0']

    before(async () => {
      for (const [index, version] of [
        '1.10.0',
        '1.2.0-beta.11',
        '2.0.0',
        '1.2.0',
        '1.2.0-alpha',
        '1.2.0-beta.2',
      ].entries()) {
        const json = { version, size: ['M', 'S', 'L'][index % 3] }
        assert.equal((await api().client.request('POST', '/releases/', { ...asUser('ann'), json })).status, 201)
      }
      await api().insert('downloads', [{ release_id: 3 }, { release_id: 5 }, { release_id: 1 }, { release_id: null }])
    })

    test('the declared order, and that of the query', async () => {
      assert.deepEqual(await list('/releases/'), ordered.toReversed())
      assert.deepEqual(await list('/releases/?ordering=version'), ordered)
      assert.deepEqual(await list('/releases/?ordering=size,-version'), [
        ...['1.2.0-beta.11', '1.2.0-alpha', '1.10.0', '1.2.0', '2.0.0', '1.2.0-beta.2'],
      ])
      assert.deepEqual(await list('/releases/?version=1.2.0'), ['1.2.0'])
      assert.deepEqual(await read('/releases/?ordering=version_key'), {
        ordering: ['The list cannot be ordered by this name.'],
      })
    })

    const readPages = async (path: string) => {
      const found: string[] = []
      let next: string | null = path
      while (next !== null) {
        const page: { results: { version: string }[]; next: string | null } = await read(
          next.replace(/^http:\/\/[^/]+/, ''),
        )
        found.push(...page.results.map(({ version }) => version))
        next = page.next
      }
      return found
    }

    test('orderingTies orders the rows that are equal in the order of a query, in both directions', async () => {
      const [small, medium, large] = [
        ['1.2.0-beta.11', '1.2.0-alpha'],
        ['1.10.0', '1.2.0'],
        ['2.0.0', '1.2.0-beta.2'],
      ]
      assert.deepEqual(await readPages('/sized/?ordering=size'), [...small!, ...medium!, ...large!])
      assert.deepEqual(await readPages('/sized/?ordering=-size'), [...large!, ...medium!, ...small!])
      assert.deepEqual(await readPages('/sized/?ordering=version'), ordered)
      assert.deepEqual(await readPages('/sized/'), ordered)
    })

    test('pages of a cursor, and an order through a relation', async () => {
      assert.deepEqual(await readPages('/paged/'), ordered)
      const through = await read('/downloads/?ordering=release__version')
      assert.deepEqual(
        through.map(({ release }: { release: number }) => release),
        [5, 1, 3, null],
      )
    })

    test('the document and the page offer the name of the field', async () => {
      const { paths } = findDocument(api().app)!
      const { schema: described } = paths['/releases/']!.get!.parameters!.find(({ name }) => name === 'ordering')!
      assert.deepEqual((described as { items: object }).items, {
        type: 'string',
        enum: ['version', '-version', 'size', '-size'],
      })
      const html = await api().client.get('/releases/?ordering=version', {
        headers: { ...asUser('ann').headers, accept: 'text/html' },
      })
      assert.equal(html.status, 200)
    })
  },
  { migrations: {}, owners: [schema] as never },
)

suite('wrong declarations are errors', () => {
  test('of orderingTies', () => {
    const declare = (orderingTies: readonly string[], fields: object = {}) =>
      resource('x', { table: 'x', fields: { id: key(), ...fields }, orderingTies } as never)
    assert.throws(() => declare('id' as never), /orderingTies/)
    assert.throws(() => declare(['tags'], { tags: json() }), /orderingTies.*stored as JSON/s)
    const hidden = text({ visible: ({ user }) => user.isStaff, default: 'x' })
    assert.throws(() => declare(['-hidden'], { hidden }), /orderingTies: field "hidden" is not visible/)
  })

  test('of a value that is not computed in SQL', () => {
    assert.throws(() => text({ orderedBy: text() as never }), /orderedBy: give a computed field in SQL/)
  })
})
