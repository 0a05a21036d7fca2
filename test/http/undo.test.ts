// Changes that a person takes back on pages of the administration: the history restores old values, and the notice after a change, an
// action or a deletion has a button. Each is an ordinary write of the caller.

import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Fastify from 'fastify'
import {
  createApi,
  type Database,
  dateTime,
  decimal,
  key,
  migrate,
  openDatabase,
  related,
  resource,
  slug,
  text,
  writeOnly,
} from 'resource-api'
import { adminResource, createAccounts, hashPassword } from 'resource-api/accounts'
import { reference, table, tables } from 'resource-api/tables'
import { testService } from 'resource-api/testing'
import { type Browser, findCsrfToken, openBrowser } from '../support/browser.ts'
import { injectClient } from '../support/client.ts'
import { toReadableText } from '../support/html.ts'
import { createDatabase, createFile, password } from '../support/service.ts'

const categories = table('categories', {
  columns: { id: key(), slug: slug({ unique: 'There is such a category.' }), name: text() },
})
const products = table('products', {
  columns: {
    id: key(),
    name: text({ unique: 'There is such a product.' }),
    about: text({ multiline: true, nullable: true }),
    price: decimal({ maxDigits: 8, decimalPlaces: 2 }),
    category: reference('categories', { nullable: true, onDelete: 'set null' }),
    pin: writeOnly(text({ nullable: true })),
    cost: text({ nullable: true, visible: ({ user }) => Object(user).isSuperuser === true }),
    number: text({ nullable: true, fixed: true }),
  },
})
const visits = table('visits', { columns: { id: key(), cost: products.columns.price, at: dateTime() } })
const sales = table('sales', { columns: { id: key(), product: reference('products') } })
const schema = tables({ owner: 'shop', tables: [categories, products, visits, sales] })
const categoryResource = resource('categories', {
  table: categories,
  objectName: 'name',
  fields: categories.pick('id', 'slug', 'name'),
})
const productResource = resource('products', {
  table: products,
  objectName: 'name',
  fields: {
    ...products.pick('id', 'name', 'about', 'price', 'pin', 'cost', 'number'),
    category: related(categoryResource, { by: 'slug', nullable: true }),
  },
  pages: { actions: { free: { label: 'Give away', values: { price: '0.00' } } } },
})

const visitResource = resource('visits', { table: visits, fields: visits.pick('id', 'cost', 'at') })
const saleResource = resource('sales', { table: sales, fields: { id: key(), product: related(productResource) } })

async function startShop(database: Database) {
  const accounts = createAccounts({ database, secret: 'x'.repeat(40) })
  await migrate(database, [...accounts.migrations, schema])
  await accounts.secretRecord.claim()
  const resources = [productResource, categoryResource, visitResource, saleResource].map(each => adminResource(each))
  const app = Fastify()
  await app.register(createApi({ ...accounts.apiOptions, resources: [] }))
  await app.register(createApi(accounts.administration({ resources })), { prefix: '/admin' })
  app.addHook('onClose', accounts.close)
  const passwordHash = await hashPassword(password)
  await database.transaction(async connection => {
    await accounts.users.create({ username: 'root', passwordHash, isStaff: true, isSuperuser: true }, connection)
    const id = await accounts.users.create({ username: 'stan', passwordHash, isStaff: true }, connection)
    const permissions = ['products.view', 'products.change', 'products.delete', 'products.add', 'categories.view']
    const rows = permissions.map(permission => ({ user_id: id, permission }))
    await connection.kysely.insertInto('user_permissions').values(rows).execute()
  })
  return app
}

const long = 'long text '.repeat(5000).trim()

for (const [name, createStorage] of [
  ['SQLite', createFile],
  ['PostgreSQL', createDatabase],
] as const)
  suite(name, () => {
    let app: Awaited<ReturnType<typeof startShop>>
    let remove: () => Promise<void>
    let root: Browser
    let stan: Browser
    before(async () => {
      const storage = await createStorage()
      remove = storage.remove
      app = await startShop(openDatabase(storage.url))
      const client = injectClient(app)
      ;[root, stan] = [openBrowser(client), openBrowser(client)]
      await root.logIn('root')
      await stan.logIn('stan')
      await root.send('POST', '/admin/categories/', { json: { slug: 'tea', name: 'Tea' } })
      await root.send('POST', '/admin/categories/', { json: { slug: 'jam', name: 'Jam' } })
    })
    after(async () => {
      await app.close()
      await remove()
    })

    const html = { accept: 'text/html', 'sec-fetch-site': 'same-origin' }
    const open = async (browser: Browser, url: string) =>
      toReadableText((await browser.get(url, { headers: html })).text)
    /** Submits the form with this button of a page. */
    async function press(browser: Browser, page: string, button: string) {
      const forms = page.match(/<form [^>]*method="post".*?<\/form>/gs) ?? []
      const form = forms.find(each => each.includes(`>${button}</button>`))
      assert.ok(form, `${button}: ${page.slice(0, 3000)}`)
      const inputs = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
      return browser.request('POST', /action="([^"]*)"/.exec(form)![1]!, {
        form: inputs.map(([, input, value]): [string, string] => [input!, value!]),
        headers: html,
      })
    }
    const follow = (browser: Browser, { headers }: { readonly headers: Record<string, unknown> }) =>
      open(browser, String(headers.location))
    const submit = async (browser: Browser, url: string, form: Record<string, string>) =>
      browser.request('POST', url, {
        form: { ...form, csrfmiddlewaretoken: findCsrfToken(await browser.get('/admin/products/', { headers: html })) },
        headers: html,
      })
    async function create(json: object) {
      const made = await root.send('POST', '/admin/products/', { json: { price: '1.00', ...json } })
      assert.equal(made.status, 201, made.text)
      return `/admin/products/${made.json().id}/`
    }
    const read = async (path: string) => (await root.get(path)).json()
    const readHistory = async (path: string) => (await root.get(`${path}history/`)).json().results

    test('the notice after a save takes the change back, with whole texts and related objects', async () => {
      const path = await create({ name: 'Green', about: long, category: 'tea', number: 'N1' })
      const saved = await submit(stan, `${path}?_method=PATCH`, {
        name: 'Red',
        about: 'short',
        category: 'jam',
        price: '2.00',
      })
      assert.equal(saved.status, 303, saved.text)
      const [change] = await readHistory(path)
      assert.deepEqual(change.changes.about.cut, ['old'])
      const page = await follow(stan, saved)
      assert.match(page, /<p class="notice"[^>]*>Saved: Name, About, Price, Category<\/p>/)
      const undone = await press(stan, page, 'Undo')
      assert.equal(undone.status, 303, undone.text)
      const { name: again, about, category, price } = await read(path)
      assert.deepEqual([again, about, category, price], ['Green', long, 'tea', '1.00'])
      const [last] = await readHistory(path)
      assert.deepEqual([last.user, last.action, last.changes.name], ['stan', 'update', { old: 'Red', new: 'Green' }])
    })

    test('the history asks before it restores, and says what it cannot restore', async () => {
      const path = await create({ name: 'Black', cost: '1' })
      await root.send('PATCH', path, { json: { name: 'White', pin: 'secret', cost: '2' } })
      await root.send('PATCH', path, { json: { name: 'Blue' } })
      const history = await open(stan, `${path}history/`)
      const page = await open(stan, [...history.matchAll(/href="([^"]*_undo=\d+)">Restore/g)][1]![1]!)
      assert.match(page, /<h1[^>]*>Restore: Blue<\/h1>/)
      assert.match(page, /<b>Name<\/b> <del>Blue<\/del> <ins>Black<\/ins>/)
      assert.match(page, /you may not change them: Pin\./)
      assert.doesNotMatch(page, /Cost/)
      assert.equal((await press(stan, page, 'Restore')).status, 303)
      const { name: again, cost } = await read(path)
      assert.deepEqual([again, cost], ['Black', '2'])
    })

    test('what others have changed meanwhile, a taken value and a lost object are explained on the page', async () => {
      const path = await create({ name: 'One', category: 'jam' })
      await root.send('PATCH', path, { json: { name: 'Two', category: 'tea' } })
      const [{ id }] = await readHistory(path)
      const page = await open(stan, `${path}?_undo=${id}`)
      await root.send('PATCH', path, { json: { name: 'Three' } })
      const conflict = await press(stan, page, 'Restore')
      assert.equal(conflict.status, 412)
      assert.match(toReadableText(conflict.text), /Others have saved: <bdi>Three<\/bdi>/)
      assert.match(conflict.text, /value="One"/)
      await create({ name: 'One' })
      const taken = await press(stan, await open(stan, `${path}?_undo=${id}`), 'Restore')
      assert.equal(taken.status, 400)
      assert.match(taken.text, /There is such a product\./)
      const jam = (await root.get('/admin/categories/?limit=9'))
        .json()
        .results.find((each: { slug: string }) => each.slug === 'jam')
      await root.send('PATCH', `${path}`, { json: { name: 'Four', category: 'jam' } })
      await root.send('PATCH', `${path}`, { json: { category: null } })
      const [{ id: lost }] = await readHistory(path)
      await root.send('DELETE', `/admin/categories/${jam.id}/`)
      const gone = await press(stan, await open(stan, `${path}?_undo=${lost}`), 'Restore')
      assert.equal(gone.status, 400, gone.text)
      assert.equal((await read(path)).category, null)
      for (const wrong of ['999999', 'x', '1'.repeat(30), '-1', '']) {
        const refused = await submit(stan, `${path}?_method=PATCH&_undo=${wrong}`, {})
        assert.equal(refused.status, 400, wrong)
        assert.match(refused.text, /This change is not in the log/)
      }
    })

    test('a deleted object is created again from the log, once, by those who may create one', async () => {
      const path = await create({ name: 'Lost', about: long, category: 'tea', number: 'N7', pin: '1' })
      const page = await follow(stan, await submit(stan, `${path}?_method=DELETE`, {}))
      assert.match(page, /<bdi>Lost<\/bdi> was deleted\./)
      const undone = await press(stan, page, 'Undo')
      assert.match(await follow(stan, undone), /1 of 1 changes taken back\./)
      const { results } = (await root.get('/admin/products/')).json()
      const found = results.find((each: { name: string }) => each.name === 'Lost')
      assert.deepEqual([found.about, found.category, found.number], [long, 'tea', 'N7'])
      const twice = await press(stan, page, 'Undo')
      assert.match(await follow(stan, twice), /Refused: 1\..*There is such a product/s)
      // The deletion of another user is not that of the caller.
      const id = /name="_change" value="(\d+)"/.exec(page)![1]!
      await submit(root, `/admin/products/${found.id}/?_method=DELETE`, {})
      const [{ id: other }] = (await root.get('/admin/activity/?resource=products')).json().results
      assert.notEqual(String(other), id)
      const foreign = await submit(stan, '/admin/products/?_bulk=', { _bulk: 'undo', _change: String(other) })
      assert.match(await follow(stan, foreign), /Refused: 1\..*not in the log/s)
    })

    test('an action for several objects is taken back for all that nobody has changed since', async () => {
      const paths = [await create({ name: 'A', price: '3.00' }), await create({ name: 'B', price: '4.00' })]
      const form = { _bulk: 'free', _confirmed: '1', _selected: paths.join(' ') }
      const done = await follow(stan, await submit(stan, '/admin/products/?_bulk=', form))
      assert.match(done, /“Give away” was done for 2 products\./)
      await root.send('PATCH', paths[1]!, { json: { price: '9.00' } })
      const undone = await follow(stan, await press(stan, done, 'Undo'))
      assert.match(undone, /1 of 2 changes taken back\..*The object has been changed since\./s)
      assert.deepEqual([(await read(paths[0]!)).price, (await read(paths[1]!)).price], ['3.00', '9.00'])
      const deleted = await submit(stan, '/admin/products/?_bulk=', {
        _bulk: 'delete',
        _confirmed: '1',
        _selected: paths.join(' '),
      })
      const back = await follow(stan, await press(stan, await follow(stan, deleted), 'Undo'))
      assert.match(back, /2 of 2 changes taken back\./)
      const names = (await root.get('/admin/products/')).json().results.map((each: { name: string }) => each.name)
      assert.ok(names.includes('A') && names.includes('B'))
    })

    test('a sentence calls an object without a name by its singular, and shows values as pages do', async () => {
      const json = { cost: '1', at: '2026-03-06T21:30:00Z' }
      const { id } = (await root.send('POST', '/admin/visits/', { json })).json()
      await root.send('PATCH', `/admin/visits/${id}/`, { json: { cost: '12345.5', at: '2026-03-07T08:00:00Z' } })
      const page = await open(root, '/admin/activity/?user=root')
      assert.match(page, /created <a href="[^"]*"><bdi>Visit 1<\/bdi>/)
      assert.match(page, /<b>Cost<\/b> <del>1\.00<\/del> <ins>12,345\.50<\/ins>/)
      assert.match(page, /<ins><time [^>]*>7 Mar 2026, 08:00 UTC<\/time><\/ins>/)
    })

    test('the question before a deletion says whether it can be taken back', async () => {
      const path = await create({ name: 'Asked' })
      const ask = { _bulk: 'delete', _selected: path }
      const askFor = async (browser: Browser) =>
        toReadableText((await submit(browser, '/admin/products/?_bulk=', ask)).text)
      assert.match(await open(stan, `${path}?delete`), /Undo can bring it back afterwards/)
      assert.match(await askFor(stan), /Undo can bring back up to 100 objects/)
      const { id } = (await root.send('POST', '/admin/categories/', { json: { slug: 'oil', name: 'Oil' } })).json()
      assert.match(await open(root, `/admin/categories/${id}/?delete`), /Undo can bring it back/)
      for (const page of [await open(stan, `${path}?delete`), await askFor(stan)])
        assert.doesNotMatch(page, /This cannot be undone/)
    })

    test('what prevents the deletion of selected objects is said once, before the choices', async () => {
      const [free, sold] = [await create({ name: 'Free' }), await create({ name: 'Sold' })]
      const { id } = await read(sold)
      assert.equal((await root.send('POST', '/admin/sales/', { json: { product: id } })).status, 201)
      const ask = async (selected: string) =>
        toReadableText((await submit(root, '/admin/products/?_bulk=', { _bulk: 'delete', _selected: selected })).text)
      const reason = 'Some cannot be deleted, because these refer to them:'
      const [before, after, ...others] = (await ask(`${free} ${sold}`)).split(reason)
      assert.doesNotMatch(before!, /type="radio"/)
      assert.match(after!, /^.*?Sales.*?1.*?type="radio"/s)
      assert.deepEqual(others, [])
      // It prevents only the deletion of all that match.
      assert.match(await ask(free), new RegExp(`type="radio".*type="radio".*${reason}`, 's'))
    })

    test('changes are sentences, and what one user does to many objects is one of them', async () => {
      const paths = [
        await create({ name: '<b>1' }),
        await create({ name: 'Two more' }),
        await create({ name: 'Three' }),
      ]
      const form = { _bulk: 'delete', _confirmed: '1', _selected: paths.join(' ') }
      await submit(stan, '/admin/products/?_bulk=', form)
      for (const at of ['/admin/', '/admin/activity/', '/admin/activity/?user=stan']) {
        const page = await open(root, at)
        assert.match(page, /<p><a href="\/admin\/activity\/\?user=stan"><bdi>stan<\/bdi><\/a> deleted 3 Products<\/p>/)
        assert.match(page, /<li><bdi><b>1<\/bdi><\/li>/)
      }
      const quoted = (await root.get('/admin/activity/', { headers: html })).text
      assert.doesNotMatch(quoted, /<b>1/)
      const [, yesterday] = /href="([^"]*)">Yesterday/.exec(await open(root, '/admin/activity/?user=stan'))!
      assert.match(yesterday!, /\?user=stan&from=.*&until=/)
      assert.match(await open(root, yesterday!), /Nothing was changed then\./)
      assert.doesNotMatch(await open(stan, '/admin/activity/'), /<bdi>root<\/bdi>/)
    })

    test('staff see their own changes, and superusers all', async () => {
      const list = async (browser: Browser, query = '') =>
        (await browser.get(`/admin/activity/${query}`)).json().results
      const users = (changes: readonly { readonly user: string }[]) => new Set(changes.map(({ user }) => user))
      assert.deepEqual(users(await list(stan)), new Set(['stan']))
      assert.deepEqual(users(await list(root)), new Set(['stan', 'root']))
      assert.deepEqual(await list(stan, '?user=root'), [])
      assert.deepEqual(users(await list(root, '?user=stan&from=2000-01-01T00:00:00Z')), new Set(['stan']))
      assert.deepEqual(await list(root, '?until=2000-01-01T00:00:00Z'), [])
      assert.doesNotMatch(JSON.stringify(await list(stan)), /"cost"/)
      assert.equal((await root.get('/admin/activity/?from=yesterday')).status, 400)
    })
  })

test('the days of the activity are those of the clock of the service', async () => {
  await using api = await testService({}, { clock: '2030-06-15T12:00:00Z' })
  const root = await api.login(await api.user('root', { staff: true, superuser: true }))
  const { text } = await root.get('/admin/activity/', { headers: { accept: 'text/html' } }).expect(200)
  assert.match(text, /from&#61;2030-06-14T00%3A00%3A00Z&#38;until&#61;2030-06-15T00%3A00%3A00Z">Yesterday/)
})
