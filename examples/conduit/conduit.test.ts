import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type DatabaseKind, type TestApp, type TestClient, testApp } from 'resource-api/testing'
import { z } from 'zod'
import { createConduit } from './conduit.ts'
import { readSecret } from './tokens.ts'

const account = z.object({ user: z.looseObject({ token: z.string() }) })
const article = z.object({ article: z.object({ slug: z.string(), createdAt: z.string(), updatedAt: z.string() }) })
const articleList = z.object({ articles: z.array(z.object({ title: z.string() })), articlesCount: z.int() })
const comment = z.object({ comment: z.object({ id: z.int(), createdAt: z.string(), updatedAt: z.string() }) })
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/

test('in production, the secret that signs tokens has to be set', () => {
  const own = 's'.repeat(32)
  assert.deepEqual(readSecret({ NODE_ENV: 'production', SECRET_KEY: own }), new TextEncoder().encode(own))
  for (const SECRET_KEY of [undefined, '', 'short'])
    assert.throws(() => readSecret({ NODE_ENV: 'production', SECRET_KEY }), /^Error: SECRET_KEY: set it to 32 /)
  assert.throws(() => readSecret({ SECRET_KEY: 'short' }), /^Error: SECRET_KEY: set it to 32 /)
  assert.notDeepEqual(readSecret({}), readSecret({}))
})

const databases: readonly DatabaseKind[] = ['sqlite', 'postgres']

for (const kind of databases)
  suite(`Conduit on ${kind}`, () => {
    let conduit: TestApp
    let ada: TestClient
    let bob: TestClient
    before(async () => {
      conduit = await testApp(({ database }) => createConduit(database), { database: kind })
      ada = await register('ada')
      bob = await register('bob')
    })
    after(() => conduit?.close())

    const withToken = (token: string) => conduit.client({ headers: { authorization: `Token ${token}` } })

    const credentials = (username: string) => ({ email: `${username}@example.org`, password: `${username} knows it` })

    /** Registers a user, and returns the user's client. */
    async function register(username: string): Promise<TestClient> {
      const body = { user: { username, ...credentials(username) } }
      const { user } = await conduit.post('/api/users', body).expect(201).json(account)
      return withToken(user.token)
    }

    /** Publishes an article, and returns its URL. */
    async function publish(author: TestClient, title: string, tagList: readonly string[] = []): Promise<string> {
      const body = { article: { title, description: `About ${title}`, body: 'Words.', tagList } }
      return `/api/articles/${(await author.post('/api/articles', body).expect(201).json(article)).article.slug}`
    }

    /** The titles and the count of a list of articles. */
    async function list(client: Pick<TestClient, 'get'>, url: string) {
      const { articles, articlesCount } = await client.get(url).expect(200).json(articleList)
      return { titles: articles.map(({ title }) => title), articlesCount }
    }

    const profileOf = (username: string, following = false) => ({ username, bio: null, image: null, following })

    async function expectErrors(
      sent: { expect(status: number): { json(): Promise<unknown> } },
      status: number,
      errors: Record<string, unknown>,
    ) {
      assert.deepEqual(await sent.expect(status).json(), { errors })
    }

    test('users register, log in, and change their account', async () => {
      const shown = { email: 'cy@example.org', username: 'cy', bio: null, image: null }
      const registered = await conduit
        .post('/api/users', { user: { username: 'cy', ...credentials('cy') } })
        .expect(201)
      const { token } = registered.json(account).user
      assert.deepEqual(registered.json(), { user: { ...shown, token } })
      assert.match(token, /^[\w-]+\.[\w-]+\.[\w-]+$/)
      assert.equal(registered.headers.get('cache-control'), 'no-store')

      const loggedIn = await conduit
        .post('/api/users/login', { user: credentials('cy') })
        .expect(200)
        .json(account)
      assert.deepEqual({ ...loggedIn.user, token: '' }, { ...shown, token: '' })
      const cy = withToken(loggedIn.user.token)
      const current = await cy.get('/api/user').expect(200).json(account)
      assert.deepEqual({ ...current.user, token: '' }, { ...shown, token: '' })

      const [bio, image] = ['I work at a farm.', 'https://example.org/cy.jpg']
      const changed = await cy.put('/api/user', { user: { bio, image } }).expect(200).json(account)
      assert.deepEqual({ ...changed.user, token: '' }, { ...shown, bio, image, token: '' })
      assert.deepEqual(await conduit.get('/api/profiles/cy').expect(200).json(), {
        profile: { username: 'cy', bio, image, following: false },
      })
      for (const empty of ['', null])
        assert.partialDeepStrictEqual(
          await cy
            .put('/api/user', { user: { bio: empty, image: empty } })
            .expect(200)
            .json(),
          {
            user: { bio: null, image: null },
          },
        )

      const renamed = { username: 'cyrus', email: 'cyrus@example.org', password: 'another one' }
      assert.partialDeepStrictEqual(await cy.put('/api/user', { user: renamed }).expect(200).json(), {
        user: { username: 'cyrus', email: 'cyrus@example.org' },
      })
      await conduit.post('/api/users/login', { user: credentials('cy') }).expect(401)
      await conduit.post('/api/users/login', { user: { email: renamed.email, password: renamed.password } }).expect(200)
    })

    test('an email address is the same in any case', async () => {
      const eve = { username: 'mixed', ...credentials('mixed'), email: 'Mixed@Example.org' }
      const { user } = await conduit.post('/api/users', { user: eve }).expect(201).json(account)
      assert.equal(user.email, 'mixed@example.org')
      await expectErrors(
        conduit.post('/api/users', { user: { ...eve, username: 'other', email: 'MIXED@example.org' } }),
        409,
        { email: ['has already been taken'] },
      )
      const login = { email: 'mIXed@example.ORG', password: eve.password }
      await conduit.post('/api/users/login', { user: login }).expect(200)
    })

    test('a change of the password ends the tokens from before', async () => {
      const rae = await register('rae')
      await rae.put('/api/user', { user: { bio: 'Same password' } }).expect(200)
      const { user } = await rae
        .put('/api/user', { user: { password: 'another one' } })
        .expect(200)
        .json(account)
      await expectErrors(rae.get('/api/user'), 401, { token: ['is invalid'] })
      await withToken(user.token).get('/api/user').expect(200)
    })

    test('wrong accounts and credentials are refused', async () => {
      const dan = { username: 'dan', ...credentials('dan') }
      for (const name of ['username', 'email', 'password'])
        for (const user of [
          { ...dan, [name]: '' },
          { ...dan, [name]: null },
          { ...dan, [name]: undefined },
        ])
          await expectErrors(conduit.post('/api/users', { user }), 422, { [name]: ["can't be blank"] })
      await expectErrors(conduit.post('/api/users', { user: { ...dan, username: 'ada' } }), 409, {
        username: ['has already been taken'],
      })
      await expectErrors(conduit.post('/api/users', { user: { ...dan, email: 'ada@example.org' } }), 409, {
        email: ['has already been taken'],
      })
      await expectErrors(conduit.post('/api/users', dan), 422, { user: ["can't be blank"] })
      for (const name of ['email', 'password'])
        await expectErrors(conduit.post('/api/users/login', { user: { ...credentials('ada'), [name]: '' } }), 422, {
          [name]: ["can't be blank"],
        })
      for (const user of [
        { ...credentials('ada'), password: 'wrong' },
        { ...credentials('ada'), email: 'nobody@example.org' },
      ])
        await expectErrors(conduit.post('/api/users/login', { user }), 401, { credentials: ['invalid'] })
      await expectErrors(conduit.get('/api/user'), 401, { token: ['is missing'] })
      await expectErrors(conduit.put('/api/user', { user: { bio: 'x' } }), 401, { token: ['is missing'] })
      await expectErrors(withToken('e30.e30.e30').get('/api/user'), 401, { token: ['is invalid'] })
      await expectErrors(ada.put('/api/user', { user: { username: 'bob' } }), 409, {
        username: ['has already been taken'],
      })
      await expectErrors(ada.put('/api/user', { user: { email: null } }), 422, { email: ["can't be blank"] })
    })

    test('whoever tries too many passwords has to wait', async () => {
      const user = { email: `${kind}@example.org`, password: 'a guess' }
      for (let attempt = 0; attempt < 10; attempt++) await conduit.post('/api/users/login', { user }).expect(401)
      const refused = await conduit.post('/api/users/login', { user }).expect(429)
      assert.match(refused.text, /^\{"errors":\{"body":\["Request was throttled/)
    })

    test('users follow each other', async () => {
      const eve = await register('eve')
      const follow = '/api/profiles/eve/follow'
      assert.deepEqual(await conduit.get('/api/profiles/eve').expect(200).json(), { profile: profileOf('eve') })
      for (const _ of ['once', 'again'])
        assert.deepEqual(
          await ada
            .post(follow, { user: { email: 'ada@example.org' } })
            .expect(200)
            .json(),
          {
            profile: profileOf('eve', true),
          },
        )
      assert.deepEqual(await ada.get('/api/profiles/eve').json(), { profile: profileOf('eve', true) })
      assert.deepEqual(await eve.get('/api/profiles/eve').json(), { profile: profileOf('eve') })
      for (const _ of ['once', 'again'])
        assert.deepEqual(await ada.delete(follow).expect(200).json(), { profile: profileOf('eve') })
      assert.deepEqual(await ada.get('/api/profiles/eve').json(), { profile: profileOf('eve') })
      await expectErrors(conduit.post(follow), 401, { token: ['is missing'] })
      await expectErrors(conduit.delete(follow), 401, { token: ['is missing'] })
      for (const sent of [
        conduit.get('/api/profiles/nobody'),
        ada.post('/api/profiles/nobody/follow'),
        ada.delete('/api/profiles/nobody/follow'),
      ])
        await expectErrors(sent, 404, { profile: ['not found'] })
    })

    test('authors publish, change and delete articles', async () => {
      const given = { title: 'How to train', description: 'Ever wonder how?', body: 'Very carefully.' }
      const made = await ada
        .post('/api/articles', { article: { ...given, tagList: ['training', 'dragons', 'training'] } })
        .expect(201)
      const { createdAt, updatedAt } = made.json(article).article
      assert.match(createdAt, isoTime)
      assert.equal(updatedAt, createdAt)
      const shown = {
        slug: 'how-to-train',
        ...given,
        tagList: ['dragons', 'training'],
        createdAt,
        updatedAt,
        favorited: false,
        favoritesCount: 0,
        author: profileOf('ada'),
      }
      assert.deepEqual(made.json(), { article: shown })
      assert.equal(made.headers.get('location'), 'http://localhost/api/articles/how-to-train')
      const url = '/api/articles/how-to-train'
      assert.deepEqual(await conduit.get(url).expect(200).json(), { article: shown })

      const changed = await ada.put(url, { article: { body: 'With two hands' } }).expect(200)
      const later = changed.json(article).article.updatedAt
      assert.match(later, isoTime)
      assert.deepEqual(changed.json(), { article: { ...shown, body: 'With two hands', updatedAt: later } })
      assert.partialDeepStrictEqual(
        await ada
          .put(url, { article: { tagList: [] } })
          .expect(200)
          .json(),
        {
          article: { tagList: [] },
        },
      )
      assert.partialDeepStrictEqual(
        await ada
          .put(url, { article: { title: 'How to rest!' } })
          .expect(200)
          .json(),
        {
          article: { slug: 'how-to-rest', title: 'How to rest!', createdAt },
        },
      )
      await expectErrors(conduit.get(url), 404, { article: ['not found'] })
      assert.equal((await ada.delete('/api/articles/how-to-rest').expect(204)).text, '')
      await expectErrors(conduit.get('/api/articles/how-to-rest'), 404, { article: ['not found'] })
    })

    test('each article has a URL of its own', async () => {
      const words = { description: 'd', body: 'b' }
      await publish(ada, 'Tea & Milk')
      for (const title of ['Tea & Milk', 'tea, milk'])
        await expectErrors(bob.post('/api/articles', { article: { title, ...words } }), 409, {
          title: ['has already been taken'],
        })
      // GET /api/articles/feed is a list.
      await expectErrors(bob.post('/api/articles', { article: { title: 'Feed', ...words } }), 422, {
        slug: ['has already been taken'],
      })
      const both = [ada, bob].map(author => author.post('/api/articles', { article: { title: 'Race', ...words } }))
      const statuses = (await Promise.all(both)).map(({ status }) => status)
      assert.deepEqual(statuses.sort(), [201, 409])
      const url = await publish(ada, 'Über Grünen Tee')
      assert.equal(url, '/api/articles/über-grünen-tee')
      assert.partialDeepStrictEqual(await conduit.get(encodeURI(url)).expect(200).json(), {
        article: { title: 'Über Grünen Tee' },
      })
      await expectErrors(ada.post('/api/articles', { article: { title: '?!', ...words } }), 422, {
        title: ['must contain a letter or a digit'],
      })
    })

    test('lists are filtered, and read in portions, the newest first', async () => {
      const [fay, gus] = [await register('fay'), await register('gus')]
      for (const title of ['F1', 'F2']) await publish(fay, title, ['red', title])
      const g1 = await publish(gus, 'G1', ['red'])
      for (const { query, found } of [
        { query: 'tag=red', found: { titles: ['G1', 'F2', 'F1'], articlesCount: 3 } },
        { query: 'tag=F1', found: { titles: ['F1'], articlesCount: 1 } },
        { query: 'tag=re', found: { titles: [], articlesCount: 0 } },
        { query: 'author=fay', found: { titles: ['F2', 'F1'], articlesCount: 2 } },
        { query: 'author=nobody', found: { titles: [], articlesCount: 0 } },
        { query: 'author=fay&tag=F2', found: { titles: ['F2'], articlesCount: 1 } },
        { query: 'tag=red&limit=1', found: { titles: ['G1'], articlesCount: 3 } },
        { query: 'tag=red&limit=1&offset=1', found: { titles: ['F2'], articlesCount: 3 } },
        { query: 'tag=red&offset=9', found: { titles: [], articlesCount: 3 } },
      ])
        assert.deepEqual(await list(conduit, `/api/articles?${query}`), found, query)

      // Clients of RealWorld name a type, although the body is empty.
      const emptyJson = { headers: { 'content-type': 'application/json' } }
      assert.partialDeepStrictEqual(await fay.post(`${g1}/favorite`, '', emptyJson).expect(200).json(), {
        article: { title: 'G1', favorited: true, favoritesCount: 1 },
      })
      assert.deepEqual(await list(conduit, '/api/articles?favorited=fay'), { titles: ['G1'], articlesCount: 1 })
      const { articles } = await fay
        .get('/api/articles?favorited=fay')
        .expect(200)
        .json(z.object({ articles: z.array(z.unknown()) }))
      assert.partialDeepStrictEqual(articles, [{ favorited: true, favoritesCount: 1, author: profileOf('gus') }])
      assert.partialDeepStrictEqual(await gus.get(g1).json(), { article: { favorited: false, favoritesCount: 1 } })
      assert.partialDeepStrictEqual(await fay.delete(`${g1}/favorite`, emptyJson).expect(200).json(), {
        article: { title: 'G1', favorited: false, favoritesCount: 0 },
      })
      assert.deepEqual(await list(conduit, '/api/articles?favorited=fay'), { titles: [], articlesCount: 0 })
    })

    test('a page of articles with their authors, tags and favorites takes one statement', async () => {
      await publish(ada, 'One statement', ['count'])
      const statements = await conduit.statements(() => conduit.get('/api/articles?tag=count').expect(200))
      assert.equal(statements.length, 1, statements.join('\n'))
    })

    test('the feed contains the articles of followed users', async () => {
      const [hal, ivy, jim] = [await register('hal'), await register('ivy'), await register('jim')]
      for (const title of ['I1', 'I2']) await publish(ivy, title)
      await publish(jim, 'J1')
      const feed = '/api/articles/feed'
      assert.deepEqual(await list(hal, feed), { titles: [], articlesCount: 0 })
      await hal.post('/api/profiles/ivy/follow').expect(200)
      assert.deepEqual(await list(hal, feed), { titles: ['I2', 'I1'], articlesCount: 2 })
      assert.deepEqual(await list(hal, `${feed}?limit=1`), { titles: ['I2'], articlesCount: 2 })
      assert.deepEqual(await list(hal, `${feed}?limit=1&offset=1`), { titles: ['I1'], articlesCount: 2 })
      assert.partialDeepStrictEqual(await hal.get(feed).json(), { articles: [{ author: profileOf('ivy', true) }] })
      assert.deepEqual(await list(ivy, feed), { titles: [], articlesCount: 0 })
      await expectErrors(conduit.get(feed), 401, { token: ['is missing'] })
    })

    test('users comment on articles, and delete their comments', async () => {
      const url = await publish(ada, 'Talk')
      const other = await publish(ada, 'Silence')
      assert.deepEqual(await conduit.get(`${url}/comments`).expect(200).json(), { comments: [] })
      const made = await bob.post(`${url}/comments`, { comment: { body: 'Thank you so much!' } }).expect(201)
      const { id, createdAt, updatedAt } = made.json(comment).comment
      assert.match(createdAt, isoTime)
      assert.match(updatedAt, isoTime)
      const shown = { id, createdAt, updatedAt, body: 'Thank you so much!', author: profileOf('bob') }
      assert.deepEqual(made.json(), { comment: shown })
      assert.deepEqual(await ada.get(`${url}/comments`).expect(200).json(), { comments: [shown] })
      assert.deepEqual(await conduit.get(`${other}/comments`).expect(200).json(), { comments: [] })

      await expectErrors(bob.post(`${url}/comments`, { comment: { body: '' } }), 422, { body: ["can't be blank"] })
      await expectErrors(conduit.post(`${url}/comments`, { comment: { body: 'x' } }), 401, { token: ['is missing'] })
      await expectErrors(conduit.delete(`${url}/comments/${id}`), 401, { token: ['is missing'] })
      await expectErrors(ada.delete(`${url}/comments/${id}`), 403, { comment: ['forbidden'] })
      await expectErrors(bob.delete(`${other}/comments/${id}`), 404, { comment: ['not found'] })
      await expectErrors(bob.delete(`${url}/comments/0`), 404, { comment: ['not found'] })
      for (const sent of [
        conduit.get('/api/articles/none/comments'),
        bob.post('/api/articles/none/comments', { comment: { body: 'x' } }),
        bob.delete(`/api/articles/none/comments/${id}`),
      ])
        await expectErrors(sent, 404, { article: ['not found'] })

      await bob.delete(`${url}/comments/${id}`).expect(204)
      assert.deepEqual(await conduit.get(`${url}/comments`).expect(200).json(), { comments: [] })
      await bob.post(`${url}/comments`, { comment: { body: 'Again' } }).expect(201)
      await ada.delete(url).expect(204)
      await conduit.get(`${url}/comments`).expect(404)
    })

    test('tags are those of all articles', async () => {
      const url = await publish(ada, 'Tagged', ['unique-tag'])
      const { tags } = await conduit
        .get('/api/tags')
        .expect(200)
        .json(z.object({ tags: z.array(z.string()) }))
      assert.ok(tags.includes('unique-tag'))
      assert.deepEqual(tags, [...new Set(tags)].sort())
      await ada.delete(url).expect(204)
      assert.doesNotMatch((await conduit.get('/api/tags').expect(200)).text, /unique-tag/)
    })

    test('wrong articles, and those of others, are refused', async () => {
      const url = await publish(ada, 'Mine')
      const words = { title: 'New', description: 'd', body: 'b' }
      for (const name of ['title', 'description', 'body'])
        for (const value of ['', null, undefined])
          await expectErrors(bob.post('/api/articles', { article: { ...words, [name]: value } }), 422, {
            [name]: ["can't be blank"],
          })
      await expectErrors(bob.post('/api/articles', words), 422, { article: ["can't be blank"] })
      await expectErrors(ada.put(url, { article: { tagList: null } }), 422, { tagList: ["can't be blank"] })
      for (const sent of [
        conduit.post('/api/articles', { article: words }),
        conduit.put(url, { article: { body: 'x' } }),
        conduit.delete(url),
        conduit.post(`${url}/favorite`),
        conduit.delete(`${url}/favorite`),
        conduit.put('/api/articles/none', { article: { body: 'x' } }),
      ])
        await expectErrors(sent, 401, { token: ['is missing'] })
      await expectErrors(bob.put(url, { article: { body: 'x' } }), 403, { article: ['forbidden'] })
      await expectErrors(bob.delete(url), 403, { article: ['forbidden'] })
      for (const sent of [
        bob.put('/api/articles/none', { article: { body: 'x' } }),
        bob.delete('/api/articles/none'),
        bob.post('/api/articles/none/favorite'),
        bob.delete('/api/articles/none/favorite'),
      ])
        await expectErrors(sent, 404, { article: ['not found'] })
      const malformed = { headers: { 'content-type': 'application/json' } }
      await bob.post('/api/articles', '{"article":', malformed).expect(400)
    })
  })
