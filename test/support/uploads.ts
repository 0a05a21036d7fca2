// Views that accept forms with files, and requests that send such forms in chunks.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { Readable } from 'node:stream'
import type { ApiOptions, HandlerContext } from 'resource-api'
import { multipartStream, type Part } from 'resource-api/extend'
import type { Handler } from '#core'
import type { MultipartStreamOptions } from '../../src/core/http/parsers/multipart-stream.ts'
import { multipartHeaders } from './multipart.ts'
import type { TestApi } from './own-api.ts'

/** A view for each handler, at a path with its name; the handler is for `POST`, and `GET` returns a constant. */
export function uploadViews(
  handlers: Readonly<Record<string, Handler>>,
  options?: MultipartStreamOptions,
): NonNullable<ApiOptions['views']> {
  const parsers = [multipartStream(options)]
  const GET: Handler = () => ({ status: 200, body: 'fine' })
  const views = Object.entries(handlers).map(([name, POST]) => [
    `/${name}/`,
    { name, parsers, handlers: { GET, POST } },
  ])
  return Object.fromEntries(views)
}

export function readParts({ requestBody }: HandlerContext): AsyncIterable<Part> {
  assert.ok(requestBody.kind === 'parts')
  return requestBody.parts
}

/** Posts a form in these chunks without Content-Length, with the same transport as the API's client. */
export async function postChunks(
  { app, client }: TestApi,
  url: string,
  chunks: readonly Buffer[],
): Promise<readonly [status: number, json: unknown]> {
  const headers = { ...multipartHeaders, 'transfer-encoding': 'chunked' }
  if (!app.server.listening) {
    const response = await app.inject({ method: 'POST', url, headers, payload: Readable.from(chunks) })
    return [response.statusCode, response.json()]
  }
  const request = httpRequest(`${client.origin}${url}`, { method: 'POST', headers })
  const answered = once(request, 'response')
  for (const chunk of chunks) if (!request.write(chunk)) await once(request, 'drain')
  request.end()
  const [response] = await answered
  return [response.statusCode, JSON.parse((await response.toArray()).join(''))]
}
