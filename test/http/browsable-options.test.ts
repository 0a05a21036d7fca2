// The browsable API in applications of the framework (SVC-7): its options, and the pages of any resource.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  type ApiOptions,
  browsable,
  cursor,
  html,
  JsonStream,
  jsonRenderer,
  limitOffset,
  linkHeader,
  objectView,
  pageNumber,
  resource,
} from 'resource-api'
import { toReadableText } from '../support/html.ts'
import { authors, bookFields, bookRow, books, tags } from '../support/library.ts'
import { asUser, onEitherDatabase, startApi, userScheme } from '../support/own-api.ts'

const htmlHeaders = { accept: 'text/html' }
const renderers = [jsonRenderer, browsable()]

async function getPage(options: ApiOptions, path: string, prefix?: string) {
  const { client, stop } = await startApi({ renderers, ...options }, prefix === undefined ? {} : { prefix })
  const response = await client.get(path, { headers: htmlHeaders })
  await stop()
  return response
}

const hello = {
  name: 'Hello',
  description: 'Says <hello>.',
  handlers: { GET: () => ({ status: 200, body: { a: 1 } }) },
}

test('SVC-7: title, logo, home and links can be configured', async () => {
  const renderer = browsable({
    title: 'Books & <more>',
    logo: '/logo.svg',
    home: '/home/',
    links: [{ text: 'Help <me>', href: '/help/?a=1&b="' }],
  })
  const page = await getPage({ renderers: [jsonRenderer, renderer], views: { '/hello/': hello } }, '/hello/')
  assert.doesNotMatch(page.text, /<more>|<me>|<hello>|b="/)
  const text = toReadableText(page.text)
  assert.match(text, /<title>Hello &middot; Books & <more><\/title>/)
  assert.match(text, /<a class="site" href="\/home\/"><img src="\/logo\.svg" alt="" height="24"> Books & <more><\/a>/)
  assert.match(text, /<a href="\/help\/\?a=1&b="">Help <me><\/a>/)
  assert.match(text, /Says <hello>\./)
})

test('SVC-7: the template of an application escapes the values that it inserts', async () => {
  const renderer = browsable({
    pages: {
      Hello: async ({ body, renderDefault }) =>
        html`<p class="lead">Hello ${Object(body).a} ${'<script>"'}</p>!${await renderDefault()}`,
    },
  })
  const { text } = await getPage({ renderers: [jsonRenderer, renderer], views: { '/hello/': hello } }, '/hello/')
  assert.match(text, /<p class="lead">Hello 1 &#60;script&#62;&#34;<\/p><dl class="details">/)
})

test('SVC-7: a function replaces the layout, or the main content of one page', async () => {
  const renderer = browsable({
    layout: ({ title, mainHtml }) => `<html><title>${title}</title>${mainHtml}</html>`,
    pages: {
      Hello: async ({ body, renderDefault: packaged }) =>
        `<p>${JSON.stringify(body)}</p>${(await packaged()).includes('<dt>A</dt>')}`,
    },
  })
  const views = { '/hello/': hello, '/other/': { ...hello, name: 'Other' } }
  const options = { renderers: [jsonRenderer, renderer], views }
  assert.equal(
    (await getPage(options, '/hello/')).text,
    '<html><title>Hello · Resource API</title><p>{"a":1}</p>true</html>',
  )
  assert.match(
    (await getPage(options, '/other/')).text,
    /^<html><title>Other · Resource API<\/title><dl class="details">/,
  )
})

test('SVC-7: if a layout or page function fails, a default error page is sent', async () => {
  const fail = () => {
    throw new Error('on purpose')
  }
  for (const renderer of [browsable({ layout: fail }), browsable({ pages: { Hello: fail } })]) {
    const { status, text } = await getPage(
      { renderers: [jsonRenderer, renderer], views: { '/hello/': hello } },
      '/hello/',
    )
    assert.equal(status, 500)
    assert.match(text, /^<!DOCTYPE html>.*A server error occurred\./s)
  }
})

test('SVC-7: an unexpected error is shown as a page without its message', async () => {
  const handlers = {
    GET: () => {
      throw new Error('secret detail')
    },
  }
  const { status, text } = await getPage({ views: { '/broken/': { name: 'Broken', handlers } } }, '/broken/')
  assert.equal(status, 500)
  assert.match(text, /<title>500 Something went wrong &middot; Resource API/)
  assert.doesNotMatch(text, /secret/)
})

test('SVC-7: pages work under a prefix', async () => {
  const { text } = await getPage({ views: { '/hello/': hello } }, '/deep/er/hello/', '/deep/er')
  assert.match(text, /<link rel="stylesheet" href="\/deep\/er\/-\/pages\.\w+\.css">/)
  assert.match(
    text,
    /<nav class="breadcrumbs" aria-label="Breadcrumbs"><ol><li><a href="\/deep\/er\/"><bdi>Home<\/bdi><\/a><\/li><\/ol>/,
  )
})

test('SVC-7: a page reads only the first items of an endless list', async () => {
  let [read, isClosed] = [0, false]
  async function* endless() {
    try {
      for (;;) yield Array.from({ length: 10 }, () => JSON.stringify({ number: ++read }))
    } finally {
      isClosed = true
    }
  }
  const view = { name: 'Endless', handlers: { GET: () => ({ status: 200, body: new JsonStream(endless()) }) } }
  const { text } = await getPage({ views: { '/endless/': view } }, '/endless/')
  assert.deepEqual([read, isClosed], [60, true])
  assert.match(text, /Only the first 50 items/)
  assert.doesNotMatch(text, />51</)
})

test('SVC-7: numbers keep their digits', async () => {
  const { JsonText } = await import('resource-api')
  const content = new JsonText('{"big":12345678901234567890,"exact":1.10}')
  const view = { name: 'Numbers', handlers: { GET: () => ({ status: 200, body: content }) } }
  const { text } = await getPage({ views: { '/numbers/': view } }, '/numbers/')
  assert.match(text, />12345678901234567890<.*>1\.10</s)
})

const paginators = {
  pageNumber: pageNumber({ pageSize: 2 }),
  limitOffset: limitOffset({ defaultLimit: 2 }),
  cursor: cursor({ pageSize: 2, ordering: ['id'] }),
  linkHeader: linkHeader({ pageSize: 2 }),
}

for (const [style, pagination] of Object.entries(paginators)) {
  suite(style, () => {
    onEitherDatabase(
      () => ({ renderers, resources: [books, authors, tags], pagination, secret: 's'.repeat(32) }),
      api => {
        test('SVC-7: the pagination links lead to the next page and back', async () => {
          await api().insert(
            'books',
            ['One', 'Two', 'Three'].map(title => ({ ...bookRow, title })),
          )
          const fetchPage = async (url: string) =>
            toReadableText((await api().client.get(url, { headers: htmlHeaders })).text)
          const follow = async (url: string, relation: string) =>
            new RegExp(`<a href="([^"]*)" rel="${relation}">`).exec(await fetchPage(url))?.[1]
          const next = await follow('/books/', 'next')
          const text = await fetchPage(next!)
          assert.match(text, /Three/)
          assert.doesNotMatch(text, /"One"/)
          assert.equal(await follow(next!, 'next'), undefined)
          const back = await follow(next!, 'prev')
          assert.match(await fetchPage(back!), /"One"/)
          assert.equal(await follow(back!, 'prev'), undefined)
        })
      },
    )
  })
}

suite('forms', () => {
  const reviewableBooks = resource('books', {
    table: 'books',
    fields: bookFields,
    objectViews: {
      approve: objectView({
        permissions: [{ allows: ({ user }) => user.isStaff }],
        handlers: { POST: () => ({ status: 200, body: { approved: true } }) },
      }),
    },
  })
  onEitherDatabase(
    () => ({ renderers, resources: [reviewableBooks, authors, tags], authentication: [userScheme] }),
    api => {
      test('SVC-7: every kind of field has its control, with label, limits, choices and help', async () => {
        const text = toReadableText((await api().client.get('/books/?new', { headers: htmlHeaders })).text)
        for (const control of [
          /<label for="post-title">Title <span class="required">required<\/span><\/label>\n<input type="text" value="" id="post-title" name="title" aria-describedby="post-title-errors" required[^>]* maxlength="100"/,
          /<textarea id="post-summary"/,
          /<input type="number" value="" id="post-pages"[^>]* min="1" max="5000">/,
          /<input type="checkbox" value="true" id="post-in_print"[^>]* checked>/,
          /<select id="post-genre"[^>]*><option value="novel" selected>/,
          /<input type="email" value="" id="post-contact"/,
          /<input type="password" autocomplete="new-password" value="" id="post-secret"/,
          /<select id="post-author"[^>]* data-combobox[^>]*><option value="" selected><\/option>/,
          /<select id="post-translator"[^>]* data-combobox/,
          /<select id="post-tags"[^>]* data-combobox[^>]* multiple>/,
        ])
          assert.match(text, control)
        assert.doesNotMatch(text, /post-shelf|post-id"/)
        const ids = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
        assert.equal(new Set(ids).size, ids.length, 'each id is unique')
      })

      test('SVC-7: a submitted secret is never shown again', async () => {
        const form = { title: 'x', pages: '0', secret: 'hunter2', contact: 'no address' }
        const { status, text } = await api().client.post('/books/', { form, headers: htmlHeaders })
        assert.equal(status, 400)
        assert.match(text, /value="no address"/)
        assert.doesNotMatch(text, /hunter2/)
      })

      test('SVC-7: a page offers the views below it that the caller may use', async () => {
        const [id] = await api().insert('books', [{ ...bookRow, title: 'Below' }])
        const links = async (name: 'ann' | 'sue') => {
          const { text } = await api().client.get(`/books/${id}/`, {
            headers: { ...asUser(name).headers, ...htmlHeaders },
          })
          return text.includes(`href="/books/${id}/?action=approve"`)
        }
        assert.deepEqual([await links('ann'), await links('sue')], [false, true])
        const view = await api().client.get(`/books/${id}/approve/`, {
          headers: { ...asUser('sue').headers, ...htmlHeaders },
        })
        assert.equal(view.status, 405)
        assert.match(view.text, /data-method="POST"/)
      })
    },
  )
})

suite('a list with create and without list permission', () => {
  const createOnlyBooks = resource('books', {
    table: 'books',
    fields: bookFields,
    permissions: [{ allows: ({ method }) => method === 'POST' }],
  })
  onEitherDatabase(
    () => ({ renderers, resources: [createOnlyBooks, authors, tags] }),
    api => {
      test('SVC-7: the response to POST shows no objects that the caller may not list', async () => {
        await api().insert('books', [{ ...bookRow, title: 'Confidential' }])
        const rejected = await api().client.get('/books/', { headers: htmlHeaders })
        assert.equal(rejected.status, 403)
        assert.match(rejected.text, /data-method="POST"/)
        for (const form of [{ title: '' }, { title: 'Mine', pages: '3' }]) {
          const { text } = await api().client.post('/books/', { form, headers: htmlHeaders })
          assert.doesNotMatch(text, /Confidential/)
        }
      })
    },
  )
})

suite('a failing database', () => {
  onEitherDatabase(
    () => ({ renderers, resources: [books, authors, tags] }),
    api => {
      test('SVC-7: its error is shown as a page', async () => {
        await api().app.ready()
        await api().database.transaction(({ kysely }) => kysely.schema.alterTable('books').renameTo('gone').execute())
        const { status, text } = await api().client.get('/books/1/', { headers: htmlHeaders })
        assert.equal(status, 500)
        assert.match(text, /^<!DOCTYPE html>.*A server error occurred\./s)
      })
    },
  )
})
