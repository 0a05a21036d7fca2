// The exception handler gets the resource that an error is about: that of the URL, or that of a missing parent in it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  authenticatedOrReadOnly,
  type ExceptionHandler,
  exceptionHandler,
  key,
  type Migrations,
  objectView,
  resource,
  text,
  textKey,
} from 'resource-api'
import type { RequestOptions } from '../support/client.ts'
import { asUser, onEachDatabase, userScheme } from '../support/own-api.ts'

const articles = resource('articles', {
  table: 'articles',
  key: textKey({ column: 'slug', pattern: { test: /^[a-z]+$/, message: 'Small letters.' } }),
  fields: { slug: key(), title: text({ default: '', blank: true }) },
})

const comments = resource('comments', {
  table: 'comments',
  title: 'Remark',
  fields: { id: key(), body: text() },
  hookColumns: ['article_slug'],
  permissions: [authenticatedOrReadOnly],
  nestedUnder: [{ parent: articles, column: 'article_slug', only: true }],
  objectViews: { pin: objectView({ handlers: { POST: () => ({ status: 204 }) } }) },
})

const migrations: Migrations = {
  async '0001_articles'({ schema }, { key, text }) {
    await schema
      .createTable('articles')
      .addColumn('slug', text, column => column.primaryKey().notNull())
      .addColumn('title', text, column => column.notNull())
      .execute()
    await schema
      .createTable('comments')
      .addColumn('id', key)
      .addColumn('article_slug', text, column => column.notNull().references('articles.slug').onDelete('cascade'))
      .addColumn('body', text, column => column.notNull())
      .execute()
  },
}

const nameResource: ExceptionHandler = (error, context) => {
  const response = exceptionHandler(error, context)
  return response && { ...response, body: context.resource ?? null }
}

const [article, comment] = [
  { name: 'articles', title: 'Article' },
  { name: 'comments', title: 'Remark' },
]

onEachDatabase(
  () => ({ resources: [articles, comments], authentication: [userScheme], exceptionHandler: nameResource }),
  api => {
    test('an error names the resource of the URL, and a missing object its own resource', async () => {
      const send = async (method: string, url: string, options: RequestOptions = asUser('ann')) => {
        const hasBody = method === 'POST' || method === 'PATCH'
        const response = await api().client.request(method, url, { ...options, ...(hasBody && { json: {} }) })
        return [response.status, response.json()]
      }
      await api().client.post('/articles/', { json: { slug: 'tea' }, ...asUser('ann') })
      for (const [method, url, expected] of [
        ['GET', '/articles/coffee/', [404, article]],
        ['POST', '/articles/', [400, article]],
        ['GET', '/articles/coffee/comments/', [404, article]],
        ['POST', '/articles/coffee/comments/', [404, article]],
        ['GET', '/articles/coffee/comments/1/', [404, article]],
        ['PATCH', '/articles/coffee/comments/1/', [404, article]],
        ['DELETE', '/articles/coffee/comments/1/', [404, article]],
        ['DELETE', '/articles/C0FFEE/comments/1/', [404, article]],
        ['POST', '/articles/coffee/comments/1/pin/', [404, article]],
        ['GET', '/articles/tea/comments/1/', [404, comment]],
        ['DELETE', '/articles/tea/comments/1/', [404, comment]],
        ['DELETE', '/articles/tea/comments/x/', [404, comment]],
        ['POST', '/articles/tea/comments/1/pin/', [404, comment]],
        ['POST', '/articles/tea/comments/', [400, comment]],
        ['PUT', '/articles/tea/comments/', [405, comment]],
        ['GET', '/nowhere/', [404, null]],
      ] as const)
        assert.deepEqual(await send(method, url), expected, `${method} ${url}`)
      assert.deepEqual(await send('DELETE', '/articles/coffee/comments/1/', {}), [401, comment])
    })
  },
  { migrations },
)
