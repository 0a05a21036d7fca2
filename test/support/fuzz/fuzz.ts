// Sends generated requests to an application. Each response has to be one that its document allows.

import fc from 'fast-check'
import type { OpenApiDocument } from 'resource-api'
import type { TestClient } from 'resource-api/testing'
import { createKnownValues } from './known-values.ts'
import { createRequests } from './requests.ts'
import { prepareRequest } from './send-request.ts'

export interface FuzzOptions {
  readonly document: OpenApiDocument
  /** The path of the API. */
  readonly prefix?: string
  /**
   * Creates callers that no request has changed yet. The first one must be able to read the lists. Called again when a
   * request has removed the account or the token of a caller.
   */
  createCallers(): Promise<readonly TestClient[]>
  readonly anonymous: TestClient
  /** Values that responses do not show, by the name of a member or of a list. */
  readonly known?: Readonly<Record<string, readonly unknown[]>>
  readonly count: number
  readonly seed: number
}

export interface FuzzResult {
  /** An example of each difference from the document, by operation and kind. */
  readonly differences: ReadonlyMap<string, string>
  /** The number of responses by operation and status. */
  readonly statuses: ReadonlyMap<string, number>
}

const batchSize = 200

/** Sends requests. The responses are compared with the document by the clients. */
export async function fuzz(options: FuzzOptions): Promise<FuzzResult> {
  const { document, prefix = '', createCallers, anonymous, count, seed } = options
  const known = createKnownValues(options.known)
  let callers = await createCallers()
  await learnLists(document, prefix, callers[0]!, known)
  const requests = createRequests(document)
  const differences = new Map<string, string>()
  const statuses = new Map<string, number>()
  for (let sent = 0; sent < count; sent += batchSize)
    for (const planned of fc.sample(requests, { numRuns: Math.min(batchSize, count - sent), seed: seed + sent })) {
      const request = prepareRequest(planned, known, prefix)
      try {
        const caller = chooseCaller([...callers, anonymous], planned.caller)
        const response = await request.send(caller)
        const { status, text, headers } = response
        const name = `${planned.operationId} ${status}`
        statuses.set(name, (statuses.get(name) ?? 0) + 1)
        if (status === 401 && caller !== anonymous) callers = await createCallers()
        if (status >= 500) response.expect(200)
        if (status < 300 && headers.get('content-type')?.includes('json') === true)
          known.learn(request.url, JSON.parse(text), headers.get('etag'))
      } catch (error) {
        const { message } = error as Error
        const kind = `${planned.operationId}: ${message
          .split('\n')
          .slice(0, 2)
          .join(' ')
          .replaceAll(/"[^"]*"|\d+(?=\/)|\?\S*/g, '…')}`
        if (!differences.has(kind)) differences.set(kind, `${request.text}\n${message}`)
      }
    }
  return { differences, statuses }
}

// Half of the requests come from the first caller.
const chooseCaller = (callers: readonly TestClient[], number: number): TestClient =>
  callers[number % 2 === 0 ? 0 : ((number - 1) / 2) % callers.length]!

// Later requests refer to what the lists contain.
async function learnLists(
  document: OpenApiDocument,
  prefix: string,
  client: TestClient,
  known: ReturnType<typeof createKnownValues>,
): Promise<void> {
  for (const [path, item] of Object.entries(document.paths)) {
    if (item.get === undefined || path.includes('{')) continue
    const response = await client.get(`${prefix}${path}`)
    if (response.status === 200 && response.headers.get('content-type')?.includes('json') === true)
      known.learn(`${prefix}${path}`, response.json(), response.headers.get('etag'))
  }
}
