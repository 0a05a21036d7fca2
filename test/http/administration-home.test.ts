// The page of the administration's home.

import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { createPeople, type People, runInTransaction } from '../support/administration.ts'
import { toReadableText } from '../support/html.ts'
import { onEveryDatabase } from '../support/service.ts'

let now = Date.parse('2030-01-15T12:00:00Z')

onEveryDatabase(
  {},
  service => {
    let people: People
    before(async () => {
      people = await createPeople(service())
      await runInTransaction(service().services, kysely =>
        kysely
          .insertInto('audit_log')
          .values(
            ['login', 'login', 'throttled'].map(event => ({
              event,
              outcome: 'failure',
              created: '2030-01-14T08:00:00.000000Z',
              target: 'GET /',
            })),
          )
          .execute(),
      )
    })

    const open = async (token: string) => {
      const { status, text } = await service().client.get('/admin/', { token, headers: { accept: 'text/html' } })
      return { status, html: toReadableText(text) }
    }

    test('SVC-7: superusers see counts, charts with a table, the last changes and warnings', async () => {
      const path = `/admin/users/${people.ann.id}/`
      await service().client.patch(path, { json: { email: 'ann@example.org' }, token: people.root.key })
      const gone = await service().client.post('/admin/groups/', { json: { name: '<b>gone' }, token: people.root.key })
      await service().client.delete(new URL(gone.headers.location!).pathname, { token: people.root.key })
      const permissions = ['users.change', 'users.view', 'groups.add']
      const groupPath = `/admin/groups/${people.readers}/`
      await service().client.patch(groupPath, { json: { permissions }, token: people.root.key })
      const { status, html } = await open(people.root.key)
      assert.equal(status, 200)
      assert.match(html, /<b>Permissions<\/b> <del>[^<]*<\/del> <ins>Groups: add; Users: view, change<\/ins>/)
      assert.match(html, /<a href="\/admin\/users\/">Users<\/a><p>5<\/p>/)
      assert.equal(html.match(/<svg /g)?.length, 2)
      assert.match(html, /<figcaption>Failed logins <b>2<\/b>/)
      assert.equal(
        html.match(/<p class="axis"><time datetime="2030-01-02">[^<]+<\/time> <span>0&ndash;2<\/span>/g)?.length,
        2,
      )
      assert.match(html, /<tr><th scope="row">2030-01-14<\/th><td>2<\/td><td>1<\/td><\/tr>/)
      assert.match(
        html,
        new RegExp(
          `<p><a href="[^"]*/activity/\\?user(?:&#61;|=)root"><bdi>root</bdi></a> changed <a href="${path}"><bdi>ann</bdi></a></p><p><b>Email</b> <del>&ndash;</del> <ins>ann@example.org</ins></p>`,
        ),
      )
      assert.match(
        html,
        /&middot; Groups<\/p><p><a href="[^"]*\/activity\/\?user(?:&#61;|=)root"><bdi>root<\/bdi><\/a> deleted <bdi><b>gone<\/bdi><\/p>/,
      )
      const [, count] = /<h2 id="warnings">Warnings about the deployment: (\d+)<\/h2>/.exec(html)!
      const warnings = /<section class="notice warning".*?<\/section>/s.exec(html)![0]
      assert.equal(warnings.match(/<li>/g)?.length, Number(count))
      assert.equal(warnings.split('<details>')[0]!.match(/<li>/g)?.length, 2, 'two are shown at once')
      assert.doesNotMatch(html, / style=|<script>/)
    })

    test('SVC-7: two weeks without such requests are a sentence', async () => {
      const day = 24 * 60 * 60 * 1000
      now += 30 * day
      const { html } = await open(people.root.key)
      now -= 30 * day
      assert.match(html, /<p class="help">No failed logins and no refused requests\.<\/p>/)
      assert.doesNotMatch(html, /<svg |As a table/)
      assert.ok(html.length < 80_000)
    })

    test('SVC-7: staff see the counts of the lists that they may open, and no link to another one', async () => {
      const { html } = await open(people.sam.key)
      assert.match(html, /<a href="\/admin\/users\/">Users<\/a><p>5<\/p>/)
      assert.doesNotMatch(html, /<svg |audit-log|Warnings/)
    })

    test('SVC-7: the JSON of the home lists what the caller may open', async () => {
      const read = async (token: string) => Object.keys((await service().client.get('/admin/', { token })).json())
      assert.deepEqual(
        (await read(people.root.key)).filter(name => name === 'audit-log'),
        ['audit-log'],
      )
      assert.ok(!(await read(people.sam.key)).includes('audit-log'))
      assert.ok((await read(people.sam.key)).includes('users'))
    })
  },
  () => new Date(now),
)
