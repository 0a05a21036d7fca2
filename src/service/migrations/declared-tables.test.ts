// Steps of tables that `table()` declares.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { suite, type TestContext, test } from 'node:test'
import { boolean, choice, integer, key, text } from 'resource-api'
import { accountTables } from 'resource-api/accounts'
import { owner, reference, type Table, table, tables } from 'resource-api/tables'
import type { Field } from '#core'
import { makeSteps } from './make.ts'
import { readOwners } from './owners.ts'
import { createOwner } from './testing.ts'

/** Makes a step for each of the declarations in turn; returns what the last one does. */
async function makeInTurn(context: TestContext, ...declarations: readonly (readonly Table[])[]) {
  const { folder } = createOwner(context)
  let last: readonly string[] = []
  for (const declared of declarations) {
    const owners = await readOwners([tables({ owner: 'blog', tables: declared, migrations: folder })])
    const { steps, questions } = await makeSteps(owners, {}, undefined)
    last = [...questions, ...steps.flatMap(({ path, lines }) => [basename(path), ...lines])]
  }
  return last
}

const articles = (columns: Readonly<Record<string, Field>>) => table('articles', { columns: { id: key(), ...columns } })

suite('make writes', () => {
  for (const [title, before, after] of [
    ['other choices', choice(['draft', 'live']), choice(['draft', 'live', 'archived'])],
    [
      'another length, label, help or default',
      text({ max: 10 }),
      text({ max: 20, label: 'State', help: 'x', default: 'y' }),
    ],
  ] as const)
    test(`nothing for ${title}`, async context => {
      const declared = [articles({ state: before as Field }), articles({ state: after as Field })]
      assert.deepEqual(await makeInTurn(context, ...declared.map(each => [each])), [])
    })

  test('a new check for other choices that the database knows', async context => {
    const declare = (...choices: readonly string[]) =>
      table('articles', { columns: { id: key(), state: choice(choices) }, checks: { state: true } })
    assert.deepEqual(await makeInTurn(context, [declare('draft', 'live')], [declare('draft', 'live', 'gone')]), [
      '0002_articles.ts',
      'articles: drop check articles_state',
      `articles: add check articles_state: "state" in ('draft', 'live', 'gone')`,
      'SQLite rebuilds "articles" (2 columns). PostgreSQL: no rewrite, no long lock.',
    ])
  })

  test('nothing for another name of a reference with the same column', async context => {
    const before = table('articles', { columns: { id: key(), parent: reference('articles', { nullable: true }) } })
    const up = reference('articles', { nullable: true, column: 'parent_id' })
    assert.deepEqual(await makeInTurn(context, [before], [table('articles', { columns: { id: key(), up } })]), [])
  })

  test('the default of the program for the rows that exist', async context => {
    const after = articles({
      state: choice(['draft', 'live'], { default: 'draft' }) as Field,
      words: integer({ default: 0 }) as Field,
      pinned: boolean({ default: false }) as Field,
    })
    assert.deepEqual(await makeInTurn(context, [articles({})], [after]), [
      '0002_article_state_and_article_words.ts',
      "articles: add column state text not null, existing rows get 'draft'",
      'articles: add column words integer not null, existing rows get 0',
      'articles: add column pinned boolean not null, existing rows get false',
      'SQLite rebuilds "articles" (4 columns). PostgreSQL: no rewrite, no long lock.',
    ])
  })

  test('the steps of the accounts to whose tables a column refers', async context => {
    const { folder } = createOwner(context)
    const columns = { id: key(), title: text() }
    const write = async (declared: Table) => {
      const schema = tables({ owner: 'blog', uses: [accountTables], tables: [declared], migrations: folder })
      const { steps } = await makeSteps(await readOwners([schema, accountTables]), {}, undefined)
      return steps.map(({ path }) => readFileSync(path, 'utf8').match(/uses: .*/)?.[0])
    }
    assert.deepEqual(await write(table('articles', { columns })), [undefined])
    const author = owner('users', { nullable: true })
    const expected = ["uses: ['accounts/0001_accounts'],"]
    assert.deepEqual(await write(table('articles', { columns: { ...columns, author } })), expected)
  })

  test('many-to-many tables and circles of tables', async context => {
    const users = table('users', { columns: { id: key(), favorite: reference('posts', { nullable: true }) } })
    const posts = table('posts', { columns: { id: key(), author: reference('users') } })
    const postTags = table('post_tags', {
      columns: { post: reference('posts', { onDelete: 'cascade' }), author: reference('users') },
      key: ['post', 'author'],
    })
    assert.deepEqual(await makeInTurn(context, [articles({})], [articles({}), users, posts, postTags]), [
      '0002_users_and_posts.ts',
      'users: create table with id, favorite_id',
      'posts: create table with id, author_id',
      'post_tags: create table with post_id, author_id',
      'users: change column favorite_id to integer null references posts',
    ])
  })

  test('names of 63 bytes, which are the same the next time', async context => {
    const name = 'é'.repeat(31)
    const long = table(name, { columns: { id: key(), [name]: text() }, unique: [[name]] })
    assert.deepEqual(await makeInTurn(context, [long], [long]), [])
  })
})
