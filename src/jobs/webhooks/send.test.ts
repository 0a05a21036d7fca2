// What servers of others do to a sender: they redirect, are slow, say nothing, say too much, or have an address that is not public.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type LookupFunction } from 'node:net'
import { suite, test } from 'node:test'
import { withinLimits } from '../../../test/support/patience.ts'
import { isPublic, refuseTarget, type SendOptions, sendMessage } from './send.ts'

const everything = { allowsHttp: true, allowsPrivateAddresses: true }

const options: SendOptions = {
  ...everything,
  headers: { 'content-type': 'application/json' },
  body: '{"greeting":"Grüß Gott"}',
  timeLimit: 60,
  signal: new AbortController().signal,
}

async function startServer(respond: RequestListener) {
  const server = createServer(respond).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

suite('responses', () => {
  test('a server that responds 2xx has the message, and its body is not read', async () => {
    let received = ''
    await using server = await startServer(async (request, response) => {
      for await (const chunk of request) received += chunk
      response.writeHead(202).write('x'.repeat(1_000_000))
    })
    assert.deepEqual(await sendMessage(server.url, options), { status: 202, error: null })
    assert.equal(received, options.body)
  })

  test('of a refusal, the beginning of the body is kept, however long it is', async () => {
    await using server = await startServer((_, response) => response.writeHead(500).end('no '.repeat(3_500_000)))
    const { status, error } = await sendMessage(server.url, options)
    assert.equal(status, 500)
    assert.match(error!, /^The server responded 500\. no no/)
    assert.ok(error!.length < 1100)
  })

  test('a redirect is not followed', async () => {
    const paths: string[] = []
    await using server = await startServer((request, response) => {
      paths.push(request.url!)
      response.writeHead(307, { location: '/private' }).end()
    })
    assert.deepEqual(await sendMessage(server.url, options), {
      status: 307,
      error: 'The server responded 307; redirects are not followed.',
    })
    assert.deepEqual(paths, ['/hook'])
  })
})

suite('servers that do not respond', () => {
  test('a server that says nothing, or only a part, is given up', async () => {
    await using silent = await startServer(() => undefined)
    await using slow = await startServer((_, response) => void response.writeHead(503).write('wait'))
    await withinLimits(0.2, async timeLimit => {
      const results = await Promise.all([silent, slow].map(({ url }) => sendMessage(url, { ...options, timeLimit })))
      assert.deepEqual(results, [
        { status: null, error: `The server did not respond within ${timeLimit} seconds.` },
        { status: 503, error: 'The server responded 503. wait' },
      ])
    })
  })

  test('a connection that is refused, or speaks no TLS, is an error in words', async () => {
    const server = createTcpServer(socket => {
      socket.on('error', () => undefined)
      socket.resume().end('HTTP/1.1 200 OK\r\n\r\n')
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const withoutTls = await sendMessage(`https://127.0.0.1:${port}/`, options)
    await new Promise(resolve => server.close(resolve))
    const refused = await sendMessage(`http://127.0.0.1:${port}/`, options)
    assert.equal(withoutTls.status, null)
    assert.match(withoutTls.error!, /^The request failed: .*(?:SSL|TLS)/i)
    assert.match(refused.error!, /^The request failed: .*ECONNREFUSED/)
  })

  test('an abort of the sender is passed on', async () => {
    await using server = await startServer(() => undefined)
    const signal = AbortSignal.abort(new Error('The process stops.'))
    await assert.rejects(sendMessage(server.url, { ...options, signal }), /The process stops/)
  })
})

suite('targets', () => {
  const onlyPublic = { allowsHttp: true, allowsPrivateAddresses: false }

  test('URLs must be https, without a password, and not of a private address', () => {
    const rules = { allowsHttp: false, allowsPrivateAddresses: false }
    assert.equal(refuseTarget('https://example.org/hook', rules), undefined)
    assert.equal(refuseTarget('https://[2606:4700::1111]/', rules), undefined)
    for (const url of ['http://example.org/', 'ftp://example.org/', 'file:///etc/passwd', 'nonsense', ''])
      assert.equal(refuseTarget(url, rules), 'The URL must begin with https:.', url)
    assert.equal(refuseTarget('https://ann:x@example.org/', rules), 'The URL must not contain a username or password.')
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '[::1]', '[::ffff:10.0.0.1]', '169.254.169.254'])
      assert.match(refuseTarget(`https://${host}/`, rules)!, /^The address .+ is not public\.$/, host)
  })

  test('only global unicast addresses are public', () => {
    for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8']) assert.ok(isPublic(address), address)
    for (const address of [
      ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '169.254.169.254', '172.16.0.1', '192.168.0.1'],
      ...['192.0.0.1', '198.18.0.1', '224.0.0.1', '240.0.0.1', '255.255.255.255'],
      ...['::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:0:127.0.0.1', 'fe80::1', 'fe80::1%eth0', 'fc00::1'],
      ...['fec0::1', 'ff02::1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '2001:db8::1'],
      'localhost',
    ])
      assert.ok(!isPublic(address), address)
  })

  test('a name that means a private address reaches nothing, whatever it meant before', async () => {
    let requests = 0
    await using server = await startServer((_, response) => {
      requests++
      response.end()
    })
    for (const address of ['127.0.0.1', '::ffff:127.0.0.1', '0.0.0.0']) {
      const lookup: LookupFunction = (_host, { all }, callback) =>
        all ? callback(null, [{ address, family: 4 }]) : callback(null, address, 4)
      const url = `http://hooks.example.org:${server.port}/`
      const { error } = await sendMessage(url, { ...options, ...onlyPublic, lookup })
      assert.equal(error, 'The request failed: The address of hooks.example.org is not public.')
    }
    const literal = await sendMessage(server.url, { ...options, ...onlyPublic })
    assert.equal(literal.error, 'The address 127.0.0.1 is not public.')
    const named = await sendMessage(`http://localhost:${server.port}/`, { ...options, ...onlyPublic })
    assert.equal(named.error, 'The request failed: The address of localhost is not public.')
    assert.equal(requests, 0)
  })

  test('of several addresses, only the public ones are used', async () => {
    let requests = 0
    await using server = await startServer((_, response) => {
      requests++
      response.end()
    })
    const lookup: LookupFunction = (_host, _options, callback) =>
      callback(null, [
        { address: '127.0.0.1', family: 4 },
        { address: '2001:4860:4860::8888', family: 6 },
      ])
    const url = `http://hooks.example.org:${server.port}/`
    const { error } = await sendMessage(url, { ...options, ...onlyPublic, lookup, timeLimit: 0.2 })
    assert.notEqual(error, null)
    assert.equal(requests, 0)
  })
})
