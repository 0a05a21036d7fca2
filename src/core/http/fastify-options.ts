// Some errors occur before routing, such as a URL that cannot be decoded. A plugin cannot handle them, only server
// options can. So an application passes these options to Fastify, and the API whose prefix matches the URL responds.

import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { originForm, splitQuery } from './urls/routing.ts'

type FrameworkErrors = NonNullable<FastifyServerOptions['frameworkErrors']>
type FrameworkError = Parameters<FrameworkErrors>[0]

/** Responds to an error in the format of one API. */
type RespondToError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** The mounted APIs of each server, by prefix. */
const mountedApis = new WeakMap<object, Map<string, RespondToError>>()

/** Registers the API at this prefix: it responds to requests below the prefix that fail before routing. */
export function handleFrameworkErrors(server: object, prefix: string, respond: RespondToError): void {
  const apis = mountedApis.get(server)
  if (apis === undefined) mountedApis.set(server, new Map([[prefix, respond]]))
  else apis.set(prefix, respond)
}

/**
 * Options for the Fastify server that APIs are mounted in. With them, an API also responds to URLs that the router
 * rejects, such as `/books/%ff/`: 400 in its own format. Other URLs are handled by `options.frameworkErrors`, or as
 * Fastify does by default.
 *
 * @example
 * const app = Fastify(fastifyOptions({ logger: true }))
 * await app.register(createApi({ database, resources: [books] }))
 */
export function fastifyOptions<Options extends FastifyServerOptions>(
  options: Options = {} as Options,
): Options & { readonly frameworkErrors: FrameworkErrors } {
  const fallback = options.frameworkErrors ?? respondLikeFastify
  return {
    ...options,
    frameworkErrors(error: FrameworkError, request: FastifyRequest, reply: FastifyReply) {
      const respond = findApi(request) ?? fallback
      return respond(error, request, reply)
    },
  }
}

function findApi(request: FastifyRequest): RespondToError | undefined {
  const [path] = splitQuery(originForm(request.url))
  let longestPrefix: string | undefined
  const apis = mountedApis.get(request.server.server)
  for (const prefix of apis?.keys() ?? [])
    if (`${path}/`.startsWith(`${prefix}/`) && prefix.length >= (longestPrefix?.length ?? 0)) longestPrefix = prefix
  return longestPrefix === undefined ? undefined : apis!.get(longestPrefix)
}

// Sends, byte for byte, the response that Fastify sends by default.
function respondLikeFastify(error: FrameworkError, _request: FastifyRequest, reply: FastifyReply): void {
  const { code, message, statusCode = 500 } = error
  const body =
    statusCode === 500
      ? JSON.stringify({ error: 'Internal Server Error', message, statusCode })
      : JSON.stringify({ error: 'Bad Request', code, message, statusCode })
  reply.hijack()
  reply.raw
    .writeHead(statusCode, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
    .end(body)
}
