// Workers that are killed while connections arrive: each connection gets a response or is closed.

import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { suite, test } from 'node:test'
import { eventually } from '../support/patience.ts'
import { repetitions } from '../support/repetitions.ts'
import { commandLine, databases } from './command-line.ts'
import { childrenOf } from './processes.ts'

const environment = { SECRET_KEY: 's'.repeat(40), PORT: '0', LOG_LEVEL: 'silent', WORKERS: '3' }
const kills = repetitions({ usual: 2, thorough: 6 })
/** Connections that are open at any time when a worker is killed. */
const parallel = 40
/** Connections that are open at any time while its replacement starts; more would only delay the start. */
const few = 3

suite('killed workers', () => {
  for (const [name, formatUrl] of Object.entries(databases))
    test(`each connection gets a response or is closed when workers are killed under load, on ${name}`, async context => {
      const cli = await commandLine(context)
      const service = cli.start(['serve'], {
        environment: { ...environment, DATABASE_URL: await formatUrl(context, cli) },
      })
      const [, origin] = await service.until(/^Listening on (http:\S+)$/m)
      const load = startLoad(Number(new URL(origin!).port))
      context.after(load.stop)
      for (let round = 0; round < kills; round++) {
        load.setParallel(few)
        await eventually(() => load.senders.size === 3, 'three workers respond')
        load.setParallel(parallel)
        const before = load.responses
        await eventually(() => load.responses > before + 2 * parallel, 'the workers are under load')
        const [oldest] = (await childrenOf(service.pid)).toSorted((one, other) => one - other)
        process.kill(oldest!, 'SIGKILL')
        await eventually(async () => !(await childrenOf(service.pid)).includes(oldest!), 'the worker has exited')
        load.senders.clear()
      }
      load.stop()
      await eventually(() => load.open === 0, `no connection is left open`)
      const { code, stderr } = await service.stop()
      assert.equal(code, 0, stderr)
    })
})

/** Opens connections continuously; each sends one request. */
function startLoad(port: number) {
  let wanted = 0
  const state = {
    /** The number of open connections. */
    open: 0,
    /** The number of responses so far. */
    responses: 0,
    /** The processes that have responded. */
    senders: new Set<string>(),
    /** Keeps this many connections open: a new one follows each that is closed. */
    setParallel(count: number) {
      wanted = count
      while (state.open < wanted) openOne()
    },
    stop() {
      wanted = 0
    },
  }
  const openOne = () => {
    state.open += 1
    let text = ''
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /snippet/snippets/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    )
    socket.setEncoding('latin1').on('data', chunk => {
      text += chunk
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      state.open -= 1
      const [, sender] = /^x-request-id: (.*)-\w+\r$/m.exec(text) ?? []
      if (sender !== undefined) {
        state.senders.add(sender)
        state.responses += 1
      }
      setImmediate(() => state.open < wanted && openOne())
    })
  }
  return state
}
