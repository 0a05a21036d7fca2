// The URL of a request as the client sees it. It differs from that of the request if a proxy strips a part of the path.

import type { FastifyRequest } from 'fastify'
import type { ViewInfo } from '../context.ts'
import { originForm } from './routing.ts'

interface Requested {
  readonly view: Pick<ViewInfo, 'prefix' | 'root'>
  readonly request: FastifyRequest
}

/** Path and query. It begins with exactly one slash, because browsers read `//name` as a host name. */
export function clientUrl({ view: { prefix, root }, request: { url } }: Requested): string {
  const path = /^\/(?![/\\])/.test(url) ? url : originForm(url).replace(/^[/\\]*/, '/')
  return root !== prefix && path.startsWith(prefix) ? root + path.slice(prefix.length) : path
}

/** The path, without the query. */
export function clientPath(requested: Requested): string {
  const url = clientUrl(requested)
  const end = url.indexOf('?')
  return end < 0 ? url : url.slice(0, end)
}
