// Fetches a document of the provider, within bounds of time and size. Redirects are refused, because they would let the
// response choose another host.

import { limitBody } from '#core'
import type { KeyOptions } from './options.ts'

export type FetchLimits = Required<Pick<KeyOptions, 'timeout' | 'maxBytes'>>

/** Rejects if the response is late, too large, redirected, not 200 or not JSON. The message names the URL. */
export async function fetchJson(url: string, { timeout, maxBytes }: FetchLimits): Promise<unknown> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(1000 * timeout),
      headers: { accept: 'application/json' },
    })
    return JSON.parse(await readText(limitBody(response, maxBytes)))
  } catch (cause) {
    throw new Error(`${url} did not return usable JSON`, { cause })
  }
}

async function readText(response: Response): Promise<string> {
  if (response.status !== 200) {
    await response.body?.cancel()
    throw new Error(`The status is ${response.status}`)
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(await response.arrayBuffer())
}
