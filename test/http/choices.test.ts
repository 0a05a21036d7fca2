// Choices with labels, of strings and of integers: in bodies, responses, filters, OPTIONS and pages.

import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { browsable, choice, jsonRenderer, key, type Migrations, multipleChoice, resource, text } from 'resource-api'
import { onEachDatabase } from '../support/own-api.ts'

const tasks = resource('tasks', {
  table: 'tasks',
  fields: {
    id: key(),
    title: text(),
    state: choice({ open: 'Still open', done: '<Done>' }, { default: 'open' }),
    priority: choice(
      [
        [2, 'High'],
        [1, 'Low'],
        [-1, 'None'],
      ],
      { nullable: true },
    ),
    size: choice([1, 3, 5], { default: 1 }),
    labels: multipleChoice(
      { red: 'Red', blue: 'Blue' },
      { rows: { table: 'task_labels', own: 'task_id', other: 'label' }, default: [] },
    ),
  },
  searchFields: ['priority'],
  filters: { priority: true, state: true },
  orderingFields: ['priority'],
})

const migrations: Migrations = {
  async '0001_tasks'({ schema }, { key, text, reference }) {
    await schema
      .createTable('tasks')
      .addColumn('id', key)
      .addColumn('title', text, column => column.notNull())
      .addColumn('state', text, column => column.notNull())
      .addColumn('priority', 'integer')
      .addColumn('size', 'integer', column => column.notNull())
      .execute()
    await schema
      .createTable('task_labels')
      .addColumn('task_id', reference, column => column.notNull().references('tasks.id').onDelete('cascade'))
      .addColumn('label', text, column => column.notNull())
      .addPrimaryKeyConstraint('task_labels_key', ['task_id', 'label'])
      .execute()
  },
}

onEachDatabase(
  () => ({ resources: [tasks], renderers: [jsonRenderer, browsable()] }),
  api => {
    const titles = async (query: string) =>
      (await api().client.get(`/tasks/?${query}`)).json().map(({ title }: { title: string }) => title)
    const page = async (url: string) => {
      const { text } = await api().client.get(url, { headers: { accept: 'text/html' } })
      return text.replace(/\s+/g, ' ')
    }

    const setPriority = (priority: number) =>
      api().database.transaction(({ kysely }) => kysely.updateTable('tasks').set({ priority }).execute())

    beforeEach(async () => {
      await api().database.transaction(({ kysely }) => kysely.deleteFrom('tasks').execute())
    })

    test('an integer choice is a number in responses, and a number or its digits in bodies', async () => {
      const { client } = api()
      for (const priority of [2, '2', -1, '-1', null]) {
        const response = await client.post('/tasks/', { json: { title: 'a', priority } })
        assert.deepEqual(
          [response.status, response.json().priority],
          [201, priority === null ? null : Number(priority)],
        )
      }
      const form = await client.post('/tasks/', { form: { title: 'a', priority: '1', size: '5' } })
      assert.deepEqual([form.json().priority, form.json().size], [1, 5])
    })

    test('a value that is not a choice is rejected, also if it is a label or looks like a choice', async () => {
      const wrong = ['High', '02', '2.0', ' 2', '1e0', '', 3, 1.5, true, [1], {}, '__proto__', 'constructor']
      for (const priority of wrong) {
        const { status, text } = await api().client.post('/tasks/', { json: { title: 'a', priority } })
        assert.equal(status, 400, JSON.stringify(priority))
        assert.match(text, /^\{"priority":\[".* is not a valid choice\."\]\}$/)
      }
      const huge = await api().client.post('/tasks/', {
        body: '{"title":"a","priority":2000000000000000000000000000001}',
        headers: { 'content-type': 'application/json' },
      })
      assert.match(huge.text, /\\"2000000000000000000000000000001\\" is not a valid choice/)
      const label = await api().client.post('/tasks/', { json: { title: 'a', state: 'Still open' } })
      assert.deepEqual(label.json(), { state: ['"Still open" is not a valid choice.'] })
    })

    test('lists search, filter and order by integer choices', async () => {
      const { client } = api()
      for (const [title, priority] of [
        ['none', -1],
        ['low', 1],
        ['high', 2],
      ])
        await client.post('/tasks/', { json: { title, priority } })
      assert.deepEqual(await titles('priority=2'), ['high'])
      assert.deepEqual(await titles('priority=-1'), ['none'])
      assert.deepEqual(await titles('search=1&ordering=-priority'), ['low', 'none'])
      assert.deepEqual(await titles('state=open&ordering=priority'), ['none', 'low', 'high'])
      const wrong = await client.get('/tasks/?priority=High')
      assert.deepEqual([wrong.status, wrong.json()], [400, { priority: ['"High" is not a valid choice.'] }])
    })

    test('OPTIONS describes values and labels in their order', async () => {
      const { actions } = (await api().client.request('OPTIONS', '/tasks/')).json()
      assert.deepEqual(actions.POST.state.choices, [
        { value: 'open', display_name: 'Still open' },
        { value: 'done', display_name: '<Done>' },
      ])
      assert.deepEqual(actions.POST.priority.choices, [
        { value: 2, display_name: 'High' },
        { value: 1, display_name: 'Low' },
        { value: -1, display_name: 'None' },
      ])
      assert.deepEqual(actions.POST.size.choices[1], { value: 3, display_name: '3' })
      assert.deepEqual(actions.POST.labels.child.choices[0], { value: 'red', display_name: 'Red' })
    })

    test('forms, filters and tables show the labels; a value without one is shown itself', async () => {
      const { client } = api()
      const { id } = (await client.post('/tasks/', { json: { title: 'a', state: 'done', labels: ['blue'] } })).json()
      await setPriority(7)
      const list = await page('/tasks/')
      assert.match(list, /<td>&#60;Done&#62;<\/td><td[^>]*>7<\/td><td[^>]*>1<\/td><td>Blue<\/td>/)
      assert.match(
        list,
        /<select id="list-priority"[^>]*><option value="" selected>Any<\/option><option value="2" >High</,
      )
      const form = await page(`/tasks/${id}/`)
      assert.match(form, /<option value="open" >Still open<\/option><option value="done" selected>&#60;Done&#62;</)
      assert.match(form, /<option value="-1" >None<\/option><option value="7" selected>7</)
      assert.match(form, /<option value="blue" selected>Blue</)
      await setPriority(2)
      assert.match(await page(`/tasks/${id}/`), /"priority": 2,/)
    })
  },
  { migrations },
)

test('wrong choices are refused at start', () => {
  const refuses = (declare: () => unknown, message: string) => assert.throws(declare, { message })
  refuses(
    () => choice({ 1: 'Low', 2: 'High' }),
    'choice(): an object cannot have the value 1: write pairs, such as [[1, "Label"]]',
  )
  const values: (string | number)[] = [1, 'a']
  refuses(() => choice(values), 'choice(): the values must be either all strings or all integers')
  refuses(() => choice([0.5]), 'choice(): the value 0.5 must be a string or an integer')
  refuses(
    () =>
      choice([
        [1, 'Low'],
        [1, 'High'],
      ]),
    'choice(): the value 1 has two labels: remove one',
  )
  refuses(() => choice({ open: '' }), 'choice(): the label of "open" must be a text that is not empty')
  refuses(
    // @ts-expect-error the default is not a choice
    () => choice([[1, 'Low']], { default: 2 }),
    'choice(): the default 2 is not among the choices',
  )
  const rows = { table: 'a', own: 'b', other: 'c' }
  refuses(
    // @ts-expect-error integers are not texts
    () => multipleChoice([1, 2], { rows }),
    'multipleChoice(): the values must be strings, because they are stored as texts',
  )
})
