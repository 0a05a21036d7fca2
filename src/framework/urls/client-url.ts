// The URL of a request as the client sees it. It differs from that of the request if a proxy strips a part of the path.

import type { FastifyRequest } from 'fastify'
import type { ViewInfo } from '../context.ts'
import { originForm } from './routing.ts'

interface Requested {
  readonly view: Pick<ViewInfo, 'prefix' | 'root'>
  readonly request: FastifyRequest
}

/** Path and query. It begins with exactly one slash, because browsers read `//name` as a host name. */
export function clientUrl({ view, request }: Requested): string {
  const { url } = request
  const path = /^\/(?![/\\])/.test(url) ? url : originForm(url).replace(/^[/\\]*/, '/')
  return path.startsWith(view.prefix) ? view.root + path.slice(view.prefix.length) : path
}

/** The path, without the query. */
export const clientPath = (requested: Requested): string => clientUrl(requested).split('?', 1)[0]!
