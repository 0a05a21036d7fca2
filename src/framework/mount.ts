// Where an API meets Fastify: its views become routes, and what the lifecycle answers goes out.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { fromHook } from './errors/host-error.ts'
import { loggableError } from './errors/loggable-error.ts'
import { respond, respondToError } from './lifecycle.ts'
import type { RenderedResponse } from './renderers/render.ts'
import { type Asset, assetFolder } from './renderers/renderer.ts'
import { allMethods, pathFinder, redirectToTop, sendToSlash, usualMethods } from './urls/routing.ts'
import type { View } from './view.ts'

/** A file of a renderer: whoever may not see a page may see what pages are made of. */
export function mountAsset(fastify: FastifyInstance, { name, contentType, body }: Asset): void {
  const headers = {
    'content-type': contentType,
    'cache-control': 'public, max-age=31536000, immutable',
    'x-content-type-options': 'nosniff',
  }
  fastify.get(assetFolder + name, (_request, reply) => reply.headers(headers).send(body))
}

/** A view at its path. */
export function mountView(fastify: FastifyInstance, view: View): void {
  const { path, handlers, headers } = view
  const others = [...handlers.keys()].filter(method => !usualMethods.includes(method))
  fastify.route({
    method: [...usualMethods, ...others],
    url: path,
    // Under a prefix that ends with a slash, Fastify would write it twice.
    prefixTrailingSlash: fastify.prefix.endsWith('/') ? 'no-slash' : 'slash',
    exposeHeadRoute: false,
    config: { allow: () => headers.allow },
    // The lifecycle begins here, before Fastify would read the body: that happens after the checks.
    onRequest: (request, reply) => void answer(view, request, reply),
    handler: () => undefined,
  })
  if (path === '/' && fastify.prefix !== '' && !fastify.prefix.endsWith('/')) redirectToTop(fastify, headers)
}

/**
 * Everything else below the API is `unknown`, but for requests whose method no route has, which are answered by the view
 * of their path, and for those that lack the trailing slash, which are sent there.
 */
export function mountRest(fastify: FastifyInstance, views: ReadonlyMap<string, View>, unknown: View): void {
  const find = pathFinder(views)
  // What the router has found below the prefix, decoded.
  const pathOf = ({ params }: FastifyRequest) => `/${(params as { readonly '*': string })['*']}`
  const findAt = (path: string) => find(path) ?? find(`${path}/`)
  fastify.route({
    method: allMethods,
    url: '/*',
    exposeHeadRoute: false,
    config: { allow: request => (findAt(pathOf(request))?.target ?? unknown).headers.allow },
    onRequest(request, reply) {
      const path = pathOf(request)
      const found = usualMethods.includes(request.method) ? undefined : find(path)
      if (found !== undefined) {
        Object.assign(request.params as object, found.parameters)
        return void answer(found.target, request, reply)
      }
      const slashed = find(`${path}/`)
      if (slashed !== undefined) return sendToSlash(request, reply, slashed.target.headers)
      void answer(unknown, request, reply)
    },
    handler: () => undefined,
  })
}

const answer = (view: View, request: FastifyRequest, reply: FastifyReply): Promise<void> =>
  deliver(respond(view, request), request, reply)

/** For what plugins and hooks beside the API throw. */
export function answerError(view: View, error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const found = { view, request, requestContext: undefined, requestBody: undefined, headers: undefined }
  return deliver(respondToError(fromHook(error, request), found), request, reply)
}

async function deliver(
  response: Promise<RenderedResponse>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  try {
    send(reply, await response)
  } catch (error) {
    // The response to the error failed too: the client sees a broken connection, the others nothing.
    request.log.fatal({ err: loggableError(error) }, 'no answer could be made')
    reply.hijack()
    // The request may be over for Node, which then has nothing to destroy in it.
    request.raw.socket.destroy()
  }
}

// Without a serializer of ours, Fastify would add a charset, which JSON does not have (RFC 8259 §11).
const asItIs = (body: string): string => body

function send(reply: FastifyReply, { status, headers, body }: RenderedResponse): void {
  for (const layer of headers) if (layer !== undefined) reply.headers(layer)
  void reply.code(status).serializer(asItIs).send(body)
}
