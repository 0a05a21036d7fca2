// Sends a request, and tells how far its body and that of the response are. Only `XMLHttpRequest` tells browsers how far a body
// has been sent; servers count what `fetch` takes from a stream.

import type { Fetch, Progress } from './options.ts'

type OnProgress = (progress: Progress) => void

/** Sends a request with progress. `init` is what `fetch` would get; `ownFetch` is the application's replacement. */
export async function sendWithProgress(
  url: string,
  init: RequestInit,
  onProgress: OnProgress,
  ownFetch: Fetch | undefined,
): Promise<Response> {
  const { XMLHttpRequest } = globalThis as { readonly XMLHttpRequest?: new () => Xhr }
  if (init.body && !ownFetch && XMLHttpRequest) return sendByXhr(new XMLHttpRequest(), url, init, onProgress)
  // Some browsers send streams over HTTP/2 only, and others not at all. Service workers have no XMLHttpRequest.
  const isBrowser = XMLHttpRequest !== undefined || 'importScripts' in globalThis
  const response = await (ownFetch ?? fetch)(url, init.body && !isBrowser ? streamBody(init, onProgress) : init)
  const { body, status, statusText, headers } = response
  if (body === null) return response
  const length = headers.get('content-encoding') ? null : headers.get('content-length')
  const counted = body.pipeThrough(count('download', length === null ? undefined : Number(length), onProgress))
  return new Response(counted, { status, statusText, headers })
}

function streamBody(init: RequestInit, onProgress: OnProgress): RequestInit {
  const { body, headers } = new Response(init.body ?? null)
  const type = headers.get('content-type')
  const changed = new Headers(init.headers as Headers)
  if (type !== null && !changed.has('content-type')) changed.set('content-type', type)
  const counted = body!.pipeThrough(count('upload', undefined, onProgress))
  return { ...init, headers: changed, body: counted, duplex: 'half' } as RequestInit
}

function count(phase: Progress['phase'], total: number | undefined, onProgress: OnProgress) {
  let loaded = 0
  return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      loaded += chunk.byteLength
      onProgress({ phase, loaded, total })
      controller.enqueue(chunk)
    },
  })
}

interface XhrProgress {
  readonly loaded: number
  readonly total: number
  readonly lengthComputable: boolean
}

/** The part of an `XMLHttpRequest` that a client uses; servers have no types for it. */
interface Xhr {
  responseType: string
  withCredentials: boolean
  readonly upload: { onprogress: (event: XhrProgress) => void }
  onprogress: (event: XhrProgress) => void
  onload: () => void
  onerror: () => void
  onabort: () => void
  readonly status: number
  readonly response: Blob
  open(method: string, url: string): void
  setRequestHeader(name: string, value: string): void
  getAllResponseHeaders(): string
  send(body: unknown): void
  abort(): void
}

const sendByXhr = (xhr: Xhr, url: string, init: RequestInit, onProgress: OnProgress): Promise<Response> =>
  new Promise((resolve, reject) => {
    const report =
      (phase: Progress['phase']) =>
      ({ loaded, total, lengthComputable }: XhrProgress) =>
        onProgress({ phase, loaded, total: lengthComputable ? total : undefined })
    xhr.open(init.method!, url)
    xhr.responseType = 'blob'
    xhr.withCredentials = init.credentials === 'include'
    for (const [name, value] of init.headers as Headers) xhr.setRequestHeader(name, value)
    xhr.upload.onprogress = report('upload')
    xhr.onprogress = report('download')
    xhr.onload = () => resolve(toResponse(xhr))
    xhr.onerror = () => reject(new TypeError('the request failed'))
    xhr.onabort = () => reject(init.signal?.reason)
    if (init.signal?.aborted) return reject(init.signal.reason)
    init.signal?.addEventListener('abort', () => xhr.abort())
    xhr.send(init.body)
  })

function toResponse(xhr: Xhr): Response {
  const { status, response } = xhr
  const headers = new Headers()
  for (const [, name, value] of xhr.getAllResponseHeaders().matchAll(/^([^:\r\n]+): *(.*?)\r?$/gm))
    headers.append(name!, value!)
  return new Response(status === 204 || status === 304 ? null : response, { status, headers })
}
