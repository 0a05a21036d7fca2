// Before anything is timed: do both sides answer the same? A faster side that answers less would prove nothing.

import { type IncomingHttpHeaders, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import type { Data } from './data.ts'
import type { Side } from './side.ts'
import { headersOf, type Work } from './works.ts'

const most = 50

/** Throws where two sides differ in a status, in a header field or in a byte of a body. */
export async function checkEqual(work: Work, data: Data, [one, other]: readonly [Side, Side]): Promise<void> {
  const headers = headersOf(work, data)
  for (const path of work.paths(data).slice(0, most)) {
    const answers = [await get(one.port, path, headers), await get(other.port, path, headers)] as const
    if (answers[0].status !== work.status || !isDeepStrictEqual(...answers)) {
      throw new Error(`${path}: the sides differ:\n${answers.map(answer => JSON.stringify(answer)).join('\n')}`)
    }
  }
}

interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

function get(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, headers, host: '127.0.0.1', agent: false }, response => {
      const { date: _, ...fields } = response.headers
      text(response).then(body => resolve({ status: response.statusCode, headers: fields, body }), reject)
    })
    sent.once('error', reject).end()
  })
}
