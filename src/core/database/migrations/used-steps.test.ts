import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createDatabase, createFile } from '../../../../test/support/service.ts'
import { step } from './declared-step.ts'
import { type Migrations, migrate, type OwnedMigrations } from './migrate.ts'
import { openNew } from './testing.ts'

const create = (table: string, ...uses: readonly string[]) =>
  step({ uses, change: [{ createTable: table, columns: { id: 'key' } }] })

const referTo = (table: string, ...uses: readonly string[]) =>
  step({
    uses,
    change: [
      {
        createTable: `${table}_notes`,
        columns: { id: 'key', note_id: { type: 'integer', references: { table } } },
      },
    ],
  })

const toOwner = (owner: string, steps: Migrations): OwnedMigrations => ({ owner, steps })

for (const [name, createStorage] of Object.entries({ SQLite: createFile, PostgreSQL: createDatabase }))
  suite(`steps that use those of other owners, ${name}`, () => {
    test('a step runs after those that it uses, and else owner by owner', async context => {
      const database = await openNew(context, createStorage)
      const lines: string[] = []
      const owners = [
        toOwner('blog', { '0001_first': create('articles'), '0002_users': referTo('users', 'accounts/0002_users') }),
        toOwner('shop', { '0001_first': create('orders') }),
        toOwner('accounts', { '0001_first': create('groups', 'shop/0001_first'), '0002_users': create('users') }),
      ]
      await migrate(database, owners, { report: line => void lines.push(line) })
      assert.deepEqual(lines, [
        'Applied blog: 0001_first, 0002_users.',
        'Applied shop: 0001_first.',
        'Applied accounts: 0001_first, 0002_users.',
      ])
      assert.deepEqual(await migrate(database, owners), [])
    })

    test('the database may have applied the step, and it may have another name now', async context => {
      const database = await openNew(context, createStorage)
      const accounts = toOwner('accounts', { '0001_first': create('users') })
      await migrate(database, [accounts])
      const blog = toOwner('blog', { '0001_first': referTo('users', 'accounts/0001_first') })
      assert.deepEqual(await migrate(database, [blog]), [{ owner: 'blog', steps: ['0001_first'] }])

      const renamed = { ...create('groups'), formerNames: ['0002_old'] }
      const owners = [
        toOwner('shop', { '0001_first': referTo('groups', 'accounts/0002_old') }),
        toOwner('accounts', { '0001_first': create('users'), '0002_groups': renamed }),
      ]
      assert.deepEqual(await migrate(database, owners), [
        { owner: 'accounts', steps: ['0002_groups'] },
        { owner: 'shop', steps: ['0001_first'] },
      ])
    })

    for (const used of ['accounts/0001_first', 'accounts/0002_frist', 'accounts', ''])
      test(`a step that uses "${used}", which nobody has, is an error, and no step runs`, async context => {
        const database = await openNew(context, createStorage)
        const owners = [
          toOwner('shop', { '0001_first': create('orders'), '0002_users': create('x', used) }),
          toOwner('accounts', { '0001_other': create('users') }),
        ]
        await assert.rejects(migrate(database, owners), {
          name: 'UnusableDatabase',
          message: `the step "0002_users" of "shop" uses "${used}", which the database has not applied and no owner has: correct the name, or migrate its owner too`,
        })
        assert.deepEqual(await database.catalogue.names(), [])
      })

    test('steps that use each other are an error, and no step runs', async context => {
      const database = await openNew(context, createStorage)
      const owners = [
        toOwner('blog', { '0001_first': create('a'), '0002_next': create('b', 'shop/0001_first') }),
        toOwner('shop', { '0001_first': create('c', 'blog/0002_next') }),
      ]
      await assert.rejects(migrate(database, owners), {
        name: 'UnusableDatabase',
        message: 'the steps blog/0002_next and shop/0001_first wait for each other: correct "uses" of one of them',
      })
      assert.deepEqual(await database.catalogue.names(), [])
    })
  })
