// A profile whose orders enqueue a job, which stores that it has run, and whose list has a feed and webhooks.

import { integer, key, resource, text, ValidationError } from 'resource-api'
import { createWebhooks, job } from 'resource-api/jobs'
import { profile } from 'resource-api/service'
import { table, tables } from 'resource-api/tables'

const orderTable = table('orders', { columns: { id: key(), number: text({ max: 40 }) } })
const runTable = table('runs', { columns: { id: key(), number: text({ max: 40 }), attempt: integer() } })

const confirm = job('confirm', {
  payload: { number: text() },
  async run({ number }, context) {
    await runs.create({ number, attempt: context.job.attempt }, context)
  },
})

const runs = resource('runs', { table: runTable, actions: ['list'], fields: runTable.pick('id', 'number', 'attempt') })

const orders = resource('orders', {
  table: orderTable,
  fields: orderTable.pick('id', 'number'),
  feed: true,
  async afterSave(context) {
    const { number } = context.after
    await confirm.enqueue({ number }, context)
    if (number.startsWith('refused')) throw new ValidationError('Refused.')
  },
})

// Everybody sees the orders, so any owner does.
const webhooks = createWebhooks({
  resources: [orders],
  allowsHttp: true,
  allowsPrivateAddresses: true,
  ids: text({ max: 20 }),
  findUser: id => ({ isAuthenticated: true, id, username: String(id), isStaff: false }),
})

export const shop = profile('shop', {
  tables: tables({ owner: 'shop', tables: [orderTable, runTable] }),
  resources: [orders, runs, ...webhooks.resources],
  jobs: [confirm, ...webhooks.jobs],
})
