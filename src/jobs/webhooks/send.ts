// Sends a message to a URL of somebody else. The address is checked when the connection is opened, so a name that means another address
// by then reaches nothing private. Redirects are not followed.

import { lookup as lookUp } from 'node:dns'
import * as http from 'node:http'
import * as https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Where messages may be sent. */
export interface TargetRules {
  /** Whether URLs may begin with `http:`. */
  readonly allowsHttp: boolean
  /** Whether addresses may be those of this machine or of a private network. */
  readonly allowsPrivateAddresses: boolean
}

export interface SendOptions extends TargetRules {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** In seconds. */
  readonly timeLimit: number
  readonly signal: AbortSignal
  /** Default: that of the system. */
  readonly lookup?: LookupFunction
}

/** The answer of the server. `error`: why the message was not accepted. */
export interface SendResult {
  readonly status: number | null
  readonly error: string | null
}

const maxExcerpt = 1000

/** Says why messages may not be sent to a URL; undefined if they may. */
export function refuseTarget(text: string, { allowsHttp, allowsPrivateAddresses }: TargetRules): string | undefined {
  const url = URL.parse(text)
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && allowsHttp)
  if (url === null || !isAllowed) return `The URL must begin with https:${allowsHttp ? ' or http:' : ''}.`
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a username or password.'
  const host = toHost(url)
  if (!allowsPrivateAddresses && isIP(host) !== 0 && !isPublic(host)) return `The address ${host} is not public.`
  return undefined
}

const toHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether everybody reaches the address by the Internet. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return parsed.range() === 'unicast' && (parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast))
}

/** Sends a POST request. Rejects only if the signal aborts. */
export async function sendMessage(url: string, options: SendOptions): Promise<SendResult> {
  const refusal = refuseTarget(url, options)
  if (refusal !== undefined) return { status: null, error: refusal }
  const timeout = AbortSignal.timeout(options.timeLimit * 1000)
  const signal = AbortSignal.any([options.signal, timeout])
  try {
    const response = await request(new URL(url), options, signal)
    const { statusCode: status = 0 } = response
    if (status >= 200 && status < 300) {
      response.destroy()
      return { status, error: null }
    }
    const note = status >= 300 && status < 400 ? '; redirects are not followed' : ''
    const excerpt = await readExcerpt(response)
    return { status, error: `The server responded ${status}${note}.${excerpt === '' ? '' : ` ${excerpt}`}` }
  } catch (error) {
    options.signal.throwIfAborted()
    if (timeout.aborted)
      return { status: null, error: `The server did not respond within ${options.timeLimit} seconds.` }
    return { status: null, error: `The request failed: ${(error as Error).message}` }
  }
}

function request(
  url: URL,
  { headers, body, lookup = lookUp as LookupFunction, allowsPrivateAddresses }: SendOptions,
  signal: AbortSignal,
): Promise<http.IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>()
  const client = url.protocol === 'https:' ? https : http
  client
    .request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      signal,
      lookup: allowsPrivateAddresses ? lookup : lookUpPublic(lookup),
    })
    .on('response', resolve)
    .on('error', reject)
    .end(body)
  return promise
}

/** Finds only public addresses, which are those that the connection is opened to. */
const lookUpPublic =
  (lookup: LookupFunction): LookupFunction =>
  (host, options, callback) =>
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '', 0)
      const addresses = (found as readonly { address: string; family: number }[]).filter(({ address }) =>
        isPublic(address),
      )
      const [first] = addresses
      if (first === undefined) return callback(new Error(`The address of ${host} is not public.`), '', 0)
      if (options.all) return callback(null, addresses)
      return callback(null, first.address, first.family)
    })

// The rest of the body is not read.
async function readExcerpt(response: http.IncomingMessage): Promise<string> {
  let bytes = Buffer.alloc(0)
  try {
    for await (const chunk of response) {
      bytes = Buffer.concat([bytes, chunk]).subarray(0, maxExcerpt)
      if (bytes.length === maxExcerpt) break
    }
  } catch {
    // The status has arrived, and is what counts.
  }
  response.destroy()
  return bytes.toString().replaceAll('\0', '')
}
