// Mails: stored with the change that causes them, and sent by a job, here to a real SMTP server.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { email, key, resource, text, ValidationError } from 'resource-api'
import { createMailer, type Mailer } from 'resource-api/jobs'
import { profile } from 'resource-api/service'
import { table, tables } from 'resource-api/tables'
import { testService } from 'resource-api/testing'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

const orderTable = table('orders', { columns: { id: key(), number: text({ max: 20 }), email: email() } })

function createShop(mailer: Mailer) {
  const orders = resource('orders', {
    table: orderTable,
    fields: orderTable.pick('id', 'number', 'email'),
    async afterSave(context) {
      const { number, email: to } = context.after
      const html = '<p>Thank you!</p>'
      await mailer.send(
        { to, replyTo: 'help@example.org', subject: `Order ${number}`, text: 'Thank you!', html },
        context,
      )
      if (number === 'refused') throw new ValidationError('Refused.')
    },
  })
  return profile('shop', {
    tables: tables({ owner: 'shop', tables: [orderTable] }),
    resources: [orders],
    jobs: [mailer.job],
  })
}

async function startSmtp(options: SMTPServerOptions = {}) {
  const received: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
    onData(stream, _session, done) {
      let message = ''
      stream.on('data', chunk => {
        message += chunk
      })
      stream.on('end', () => {
        received.push(message)
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return { received, url: `smtp://127.0.0.1:${port}`, close: () => new Promise<void>(resolve => server.close(resolve)) }
}

const from = 'Shop <shop@example.org>'

for (const database of ['sqlite', 'postgres'] as const)
  suite(database, () => {
    test('a mail is sent after the commit of the change, and none for a change that was rolled back', async t => {
      const smtp = await startSmtp()
      t.after(smtp.close)
      await using api = await testService(createShop(createMailer({ url: smtp.url, from })), { database })
      await api.post('/orders/', { number: 'A1', email: 'ada@example.org' }).expect(201)
      await api.post('/orders/', { number: 'refused', email: 'ada@example.org' }).expect(400)
      assert.deepEqual(smtp.received, [])
      await api.runJobs()
      assert.equal(smtp.received.length, 1)
      const message = smtp.received.join('')
      for (const line of [
        'From: Shop <shop@example.org>',
        'To: ada@example.org',
        'Reply-To: help@example.org',
        'Subject: Order A1',
        'Content-Type: multipart/alternative',
      ])
        assert.ok(message.includes(line), message)
      assert.match(message, /Message-ID: <mail-1-[\w-]{16}@example\.org>/)
      assert.match(message, /<p>Thank you!<\/p>/)
    })

    test('a mail that the server refuses stays, with the error', async t => {
      const smtp = await startSmtp({ onRcptTo: (_address, _session, done) => done(new Error('no such mailbox')) })
      t.after(smtp.close)
      await using api = await testService(createShop(createMailer({ url: smtp.url, from, retries: 0 })), { database })
      await api.post('/orders/', { number: 'A1', email: 'ada@example.org' }).expect(201)
      await api.runJobs()
      const [job] = await api.services.database.kysely.selectFrom('jobs').select(['state', 'error']).execute()
      assert.equal(job?.state, 'failed')
      assert.match(job.error, /no such mailbox/)
      assert.deepEqual(smtp.received, [])
    })
  })

test('in memory, tests read what was sent; a wrong address is an error of the code that sends', async () => {
  const mailer = createMailer({ url: 'memory:', from })
  await using api = await testService(createShop(mailer))
  await api.post('/orders/', { number: 'A1', email: 'ada@example.org' }).expect(201)
  await api.runJobs()
  assert.deepEqual(
    mailer.sent.map(({ to, subject }) => [to, subject]),
    [[['ada@example.org'], 'Order A1']],
  )
  const mail = { to: ['ada@example.org', 'ada\r\nbcc: bob@example.org'], subject: 'S', text: 'T' }
  await assert.rejects(mailer.send(mail, {} as never), ValidationError)
  await assert.rejects(mailer.send({ ...mail, to: [] }, {} as never), ValidationError)
  await assert.rejects(
    mailer.send({ ...mail, to: 'ada@example.org', subject: 'S\r\nBcc: bob@example.org' }, {} as never),
    ValidationError,
  )
})

test('wrong options are errors that name the fix', () => {
  assert.throws(
    () => createMailer({ url: 'http://example.org', from }),
    /url must begin with smtp:, smtps:, console: or memory:, not "http"/,
  )
  assert.throws(() => createMailer({ url: 'console:', from: 'Shop' }), /from must be an address, not "Shop"/)
})
