// The frame of the pages (SVC-7): the rail, the search, the breadcrumbs, the titles, the errors and the words.

import assert from 'node:assert/strict'
import { before, suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  browsable,
  german,
  jsonRenderer,
  key,
  memoryStore,
  type Permission,
  resource,
  text,
  userThrottle,
} from 'resource-api'
import { logoutUrl, openBrowser } from '../support/browser.ts'
import { toReadableText } from '../support/html.ts'
import { authors, bookRow, books, tags } from '../support/library.ts'
import { asUser, onEitherDatabase, startApi, userScheme } from '../support/own-api.ts'
import { onEitherService } from '../support/service.ts'

const html = { accept: 'text/html' }

const findRail = (text: string): string => /<details class="rail">.*?<\/nav><\/details>/s.exec(text)?.[0] ?? ''
const listRail = (text: string): readonly string[] =>
  [...findRail(text).matchAll(/<a href="([^"]*)"/g)].map(([, href]) => href!)
const findTitle = (text: string): string | undefined => /<title>(.*?)<\/title>/.exec(text)?.[1]
const findHeading = (text: string): string | undefined => /<h1[^>]*>(.*?)<\/h1>/.exec(text)?.[1]

onEitherService({ languages: { de: german } }, service => {
  before(async () => {
    await service().createUser('ann')
    await service().createUser('stan', { staff: true })
    await service().createUser('root', { staff: true, superuser: true })
  })

  const openAs = async (name: string) => {
    const browser = openBrowser(service().client)
    await browser.logIn(name)
    return async (path: string, headers: Record<string, string> = {}) =>
      toReadableText((await browser.get(path, { headers: { ...html, ...headers } })).text)
  }

  test('SVC-7: the rail has the lists that the caller may open, and marks the list of the page', async () => {
    const anonymous = toReadableText((await service().client.get('/snippet/snippets/', { headers: html })).text)
    assert.deepEqual(listRail(anonymous), [
      '/snippet/',
      '/snippet/users/',
      '/snippet/snippets/',
      '/docs/',
      '/openapi.json',
    ])
    assert.match(findRail(anonymous), /<a href="\/snippet\/snippets\/" aria-current="true">Snippets<\/a>/)
    const ann = await (await openAs('ann'))('/')
    assert.ok(listRail(ann).includes('/directory/users/'))
    assert.doesNotMatch(ann, /\/admin\//)
    const root = await (await openAs('root'))('/admin/users/1/')
    assert.ok(listRail(root).includes('/admin/audit-log/'))
    assert.match(
      findRail(root),
      /<a href="\/admin\/users\/" aria-current="true">Users <small>Administration<\/small><\/a>/,
    )
    const names = [...findRail(root).matchAll(/<li><a [^>]*>(.*?)<\/a>/g)].map(([, name]) => name)
    assert.equal(new Set(names).size, names.length)
    assert.ok(names.includes('Audit log') && names.includes('Users <small>Directory</small>'))
    assert.doesNotMatch(findRail(await (await openAs('stan'))('/')), /audit-log/)
  })

  test('SVC-7: the administration comes first, and beside it the lists of other APIs are folded', async () => {
    const get = await openAs('root')
    const listFolded = async (path: string) =>
      [...findRail(await get(path)).matchAll(/<details><summary><h2>(.*?)<\/h2>/g)].map(([, title]) => title)
    const home = await get('/')
    assert.ok(listRail(home)[0] === '/admin/', String(listRail(home)))
    assert.deepEqual(await listFolded('/'), [])
    assert.deepEqual(await listFolded('/admin/users/1/'), ['Directory', 'Snippets'])
    assert.deepEqual(await listFolded('/snippet/snippets/'), ['Directory'])
    assert.match(findRail(await get('/admin/')), /<a href="\/snippet\/"[^>]*>Overview <small>Snippets<\/small><\/a>/)
    const ann = await openAs('ann')
    assert.doesNotMatch(findRail(await ann('/snippet/snippets/')), /<details><summary>/)
  })

  test('SVC-7: the request is closed at first in the administration, and open on other pages', async () => {
    const get = await openAs('root')
    for (const path of ['/admin/', '/admin/users/', '/admin/users/1/', '/admin/users/?new'])
      assert.match(await get(path), /<details class="panel closed">/, path)
    for (const path of ['/', '/snippet/snippets/', '/directory/users/1/'])
      assert.match(await get(path), /<details class="panel">/, path)
  })

  test('SVC-7: a page says who may change what its reader may not', async () => {
    const snippet = await service().client.post('/snippet/snippets/', {
      json: { code: 'x' },
      token: (await service().createUser('owner-of-one')).key,
    })
    const path = `/snippet/snippets/${snippet.json().id}/`
    const ann = await openAs('ann')
    assert.match(await ann(path), /<p class="help">Who may change it: the owner\.<\/p>/)
    assert.match(await ann(path, { 'accept-language': 'de' }), /Wer es ändern darf: der Eigentümer\./)
    const owner = await openAs('owner-of-one')
    assert.doesNotMatch(await owner(path), /Who may change it/)
    assert.doesNotMatch(await ann('/snippet/users/1/'), /Who may change it/)
  })

  test('SVC-7: a list with the name of its API is named once in the breadcrumbs', async () => {
    const page = await (await openAs('ann'))('/snippet/snippets/?new')
    assert.match(
      page,
      /<ol><li><a href="\/"><bdi>Home<\/bdi><\/a><\/li><li><a href="\/snippet\/snippets\/"><bdi>Snippets<\/bdi><\/a><\/li><\/ol>/,
    )
  })

  test('SVC-7: titles and breadcrumbs name the list and its API', async () => {
    const get = await openAs('root')
    const list = await get('/admin/users/')
    assert.equal(findTitle(list), 'Users &middot; Administration')
    const object = await get('/admin/users/1/')
    assert.match(
      object,
      /<ol><li><a href="\/"><bdi>Home<\/bdi><\/a><\/li><li><a href="\/admin\/"><bdi>Administration<\/bdi><\/a><\/li><li><a href="\/admin\/users\/"><bdi>Users<\/bdi>/,
    )
    assert.equal(findHeading(object), 'ann')
  })

  test('SVC-7: the page of the administration lists what the caller may open, and not its JSON alone', async () => {
    const page = await (await openAs('stan'))('/admin/')
    assert.equal(findHeading(page), 'Administration')
    assert.match(page, /<ul class="cards figures">/)
    assert.doesNotMatch(/<ul class="cards figures">.*?<\/ul>/s.exec(page)![0], /audit-log/)
  })

  test('SVC-7: a search finds pages and objects that the caller may list', async () => {
    const root = await (await openAs('root'))('/?q=stan')
    assert.equal(findHeading(root), 'Results for “stan”')
    assert.match(root, /<a href="\/admin\/users\/\d+\/"><bdi>stan<\/bdi><\/a>/)
    assert.match(await (await openAs('root'))('/?q=group'), /<a href="\/admin\/groups\/"><bdi>Groups · Administration/)
    const ann = await (await openAs('ann'))('/?q=stan')
    assert.doesNotMatch(ann, /\/admin\//)
    const hostile = await service().client.get('/?q=%3Cimg%20src=x%3E', { headers: html })
    assert.doesNotMatch(hostile.text, /<img/)
    assert.match(hostile.text, /Nothing matches/)
    assert.equal((await service().client.get('/?q=stan')).headers['content-type'], 'application/json')
  })

  test('SVC-7: 401 is the login form, which leads back to the page', async () => {
    const browser = openBrowser(service().client)
    const refused = await browser.get('/admin/users/?page=1', { headers: html })
    assert.equal(refused.status, 401)
    const text = toReadableText(refused.text)
    assert.match(text, /<form class="login" method="post" action="\/api-auth\/login\/">/)
    const next = /name="next" value="([^"]*)"/.exec(text)![1]!
    const token = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(text)![1]!
    const form = { username: 'root', password: 'correct horse battery staple', next, csrfmiddlewaretoken: token }
    const login = await browser.request('POST', '/api-auth/login/', { form })
    assert.deepEqual([login.status, login.headers.location], [302, '/admin/users/?page=1'])
    assert.equal((await browser.get('/admin/users/', { headers: html })).status, 200)
  })

  test('SVC-7: 403 says who may, and who is logged in', async () => {
    const staff = await (await openAs('ann'))('/admin/')
    assert.equal(findHeading(staff), 'You may not open this page')
    assert.match(staff, /You are logged in as ann\./)
    assert.match(staff, /Who may: staff\./)
    assert.match(await (await openAs('stan'))('/admin/audit-log/'), /Who may: superusers\./)
  })

  test('SVC-7: an unknown path knows the caller, and offers the nearest parent and list', async () => {
    const page = await (await openAs('root'))('/admin/usres/')
    assert.match(page, /<bdi>root<\/bdi>/)
    assert.match(page, /<a class="button primary" href="\/admin\/users\/">Did you mean Users\?/)
    assert.match(page, /<a class="button" href="\/admin\/">Go to Administration<\/a>/)
    assert.match(page, /<form class="find" role="search" action="\/"/)
    const below = await (await openAs('root'))('/admin/users/99999/')
    assert.match(below, /<a class="button" href="\/admin\/users\/">Go to Users<\/a>/)
    const wrongToken = await service().client.get('/nothing/', { headers: html, token: 'wrong' })
    assert.equal(wrongToken.status, 404)
  })

  test('SVC-7, ERR-MSG: the words of the pages are in the language of the caller', async () => {
    const { headers, text } = await service().client.get('/snippet/nothing/', {
      headers: { ...html, 'accept-language': 'de' },
    })
    assert.equal(headers['content-language'], 'de')
    assert.match(headers.vary!, /Accept-Language/)
    assert.match(text, /<html lang="de">/)
    assert.equal(findHeading(text), 'Hier ist nichts')
    const login = await service().client.get('/api-auth/login/', { headers: { 'accept-language': 'de' } })
    assert.match(login.text, /<label for="password">Passwort<\/label>/)
    const english = await service().client.get('/snippet/nothing/', { headers: { ...html, 'accept-language': 'fr' } })
    assert.equal(english.headers['content-language'], 'en')
  })

  test('SVC-7: the account menu logs out without JavaScript', async () => {
    const get = await openAs('ann')
    assert.match(await get('/'), new RegExp(`<form method="post" action="${logoutUrl}">`))
  })

  test('SVC-7: pages are small', async () => {
    const get = await openAs('root')
    for (const path of ['/', '/admin/', '/admin/users/', '/admin/users/1/', '/snippet/snippets/', '/nothing/']) {
      const text = await get(path)
      assert.ok(Buffer.byteLength(text) <= 80_000 && gzipSync(text).length <= 25_000, path)
    }
  })
})

onEitherService({ tokens: 'named' }, service => {
  test('SVC-7: the account menu links to the own tokens if they have names', async () => {
    await service().createUser('ann')
    const browser = openBrowser(service().client)
    await browser.logIn('ann')
    const { text } = await browser.get('/', { headers: html })
    assert.match(text, /<li><a href="\/api-auth\/tokens\/">My tokens<\/a><\/li>/)
    assert.equal((await browser.get('/api-auth/tokens/', { headers: html })).status, 200)
  })
})

suite('an application', () => {
  onEitherDatabase(
    () => ({
      renderers: [jsonRenderer, browsable({ title: 'Shop', css: ':root { --accent: #7a1fa2 }' })],
      resources: [books, authors, tags],
      authentication: [userScheme],
      throttles: [userThrottle({ rates: '20/day', store: memoryStore() })],
    }),
    api => {
      test('SVC-7: it adds CSS of its own, as a file of its server', async () => {
        const { text } = await api().client.get('/', { headers: html })
        const [, url] = /href="([^"]*\/-\/site\.\w+\.css)"/.exec(text)!
        assert.equal((await api().client.get(url!)).text, ':root { --accent: #7a1fa2 }')
        assert.equal(findTitle(text), 'API &middot; Shop')
      })

      test('SVC-7: a search of a list without search fields finds its name alone', async () => {
        await api().insert('books', [{ ...bookRow, title: 'Emma' }])
        assert.match((await api().client.get('/?q=book', { headers: html })).text, /<a href="\/books\/"><bdi>Books/)
        assert.match((await api().client.get('/?q=emma', { headers: html })).text, /Nothing matches/)
      })

      test('SVC-7: 429 says when to try again', async () => {
        const get = () => api().client.get('/books/', { headers: { ...html, ...asUser('ann').headers } })
        let page = await get()
        for (let index = 0; index < 20; index++) page = await get()
        assert.equal(page.status, 429)
        assert.equal(findHeading(page.text), 'Too many requests')
        assert.match(page.text, /data-countdown="\d+"[^>]*>You can try again in \d+ seconds, at 20\d\d-\d\d-\d\d /)
      })
    },
  )
})

const hasScope: Permission = { allows: ({ request }) => request.headers['x-scope'] === 'tags' }

suite('permissions that depend on the credentials', () => {
  onEitherDatabase(
    () => ({
      renderers: [jsonRenderer, browsable()],
      resources: [
        resource('tags', {
          table: 'tags',
          fields: { id: key(), name: text() },
          objectName: 'name',
          searchFields: ['name'],
          permissions: [hasScope],
        }),
      ],
      authentication: [userScheme],
    }),
    api => {
      test('SVC-7: the search and the rail check them for each request', async () => {
        await api().insert('tags', [{ name: 'classic' }])
        const search = async (scope: string) => {
          const headers = { ...html, ...asUser('ann').headers, 'x-scope': scope }
          return (await api().client.get('/?q=class', { headers })).text
        }
        assert.match(await search('tags'), /<bdi>classic<\/bdi>/)
        const refused = await search('none')
        assert.ok(!listRail(refused).includes('/tags/'))
        assert.doesNotMatch(refused, /<bdi>classic<\/bdi>/)
      })
    },
  )
})

test('SVC-7: 500 shows the id of the request', async () => {
  const handlers = {
    GET: () => {
      throw new Error('secret detail')
    },
  }
  const views = { '/broken/': { name: 'Broken', handlers } }
  const { client, stop } = await startApi({ renderers: [jsonRenderer, browsable()], views })
  const { status, text } = await client.get('/broken/', { headers: html })
  await stop()
  assert.equal(status, 500)
  assert.match(text, /<code>req-\w+<\/code> <button type="button" data-copy/)
  assert.doesNotMatch(text, /secret detail/)
})

test('SVC-7: APIs choose the headings of their resources on pages', async () => {
  const renderers = [jsonRenderer, browsable()]
  const hello = { name: 'Hello', handlers: { GET: () => ({ status: 200, body: {} }) } }
  const { client, stop } = await startApi({ renderers, title: null, views: { '/a/': hello } })
  const { text } = await client.get('/', { headers: html })
  await stop()
  assert.deepEqual(listRail(text), ['/docs/', '/openapi.json'])
})
