// Checks, before any measurement, that all sides send the same responses. A faster side that sends less would prove nothing.

import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import type { Data } from './data.ts'
import type { RequestOptions } from './wire.ts'
import { formatHeaders, type Workload } from './workloads.ts'

export interface Reply {
  readonly status: number | undefined
  /** Without `Date`, and with a fixed text in place of `X-Request-Id`. */
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

const most = 50

/** Throws if the sides at these ports differ in a status, in a header field or in a byte of a body. */
export async function checkEqual(work: Workload, data: Data, ports: readonly number[]): Promise<void> {
  const headers = formatHeaders(work, data)
  for (const path of work.paths(data).slice(0, most)) {
    const replies = (await fetchAll(ports, path, { headers })).map(withoutTag)
    if (replies[0]!.status === work.status && replies.every(reply => isDeepStrictEqual(reply, replies[0]))) continue
    throw new Error(`${path}: the sides differ:\n${replies.map(reply => JSON.stringify(reply)).join('\n')}`)
  }
}

/** Sends one request to the servers at these ports, and returns their responses. */
export function fetchAll(ports: readonly number[], path: string, options: RequestOptions): Promise<readonly Reply[]> {
  return Promise.all(ports.map(port => fetchReply(port, path, options)))
}

function fetchReply(port: number, path: string, { headers, body }: RequestOptions): Promise<Reply> {
  const content = body === undefined ? undefined : JSON.stringify(body)
  const own = content !== undefined && {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(content),
  }
  const method = content === undefined ? 'GET' : 'POST'
  return new Promise((resolve, reject) => {
    const options = { port, path, method, headers: { ...headers, ...own }, host: '127.0.0.1', agent: false }
    const sent = request(options, response => {
      const { date: _, ...fields } = response.headers
      const shown = mask(fields, 'x-request-id')
      text(response).then(found => resolve({ status: response.statusCode, headers: shown, body: found }), reject)
    })
    sent.once('error', reject).end(content)
  })
}

const mask = (fields: IncomingHttpHeaders, name: string): IncomingHttpHeaders =>
  fields[name] === undefined ? fields : { ...fields, [name]: 'present' }

/** The reply without the value of its tag: each side has its own digest. */
export const withoutTag = (reply: Reply): Reply => ({ ...reply, headers: mask(reply.headers, 'etag') })
