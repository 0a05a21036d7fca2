// Errors before any route is known, such as a URL that cannot be decoded: a plugin cannot hear of them, a server's
// options can. So an application hands these options to Fastify, and the API whose prefix the URL has answers.

import type { FastifyReply, FastifyRequest, FastifyServerOptions } from 'fastify'
import { originForm, splitQuery } from './urls/routing.ts'

type FrameworkErrors = NonNullable<FastifyServerOptions['frameworkErrors']>
type FrameworkError = Parameters<FrameworkErrors>[0]

/** Answers an error of a request, as one API does it. */
type AnswerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** The mounted APIs of each server, by prefix. */
const mounted = new WeakMap<object, Map<string, AnswerError>>()

/** The API at this prefix answers the errors of requests to it that have no route. */
export function answerFrameworkErrors(server: object, prefix: string, answer: AnswerError): void {
  const apis = mounted.get(server)
  if (apis === undefined) mounted.set(server, new Map([[prefix, answer]]))
  else apis.set(prefix, answer)
}

/**
 * Options for the Fastify server that APIs are mounted in. With them, an API also answers URLs that the router refuses,
 * such as `/books/%ff/`: 400 in its own form. Other URLs are answered as ever, by `frameworkErrors` where it is given.
 *
 * @example
 * const app = Fastify(fastifyOptions({ logger: true }))
 * await app.register(createApi({ database, resources: [books] }))
 */
export function fastifyOptions<Options extends FastifyServerOptions>(
  options: Options = {} as Options,
): Options & { readonly frameworkErrors: FrameworkErrors } {
  const others = options.frameworkErrors ?? answerLikeFastify
  return {
    ...options,
    frameworkErrors(error: FrameworkError, request: FastifyRequest, reply: FastifyReply) {
      const answer = findApi(request) ?? others
      return answer(error, request, reply)
    },
  }
}

function findApi(request: FastifyRequest): AnswerError | undefined {
  const [path] = splitQuery(originForm(request.url))
  let longest: string | undefined
  const apis = mounted.get(request.server.server)
  for (const prefix of apis?.keys() ?? [])
    if (`${path}/`.startsWith(`${prefix}/`) && prefix.length >= (longest?.length ?? 0)) longest = prefix
  return longest === undefined ? undefined : apis!.get(longest)
}

// Byte for byte what Fastify answers without the option.
function answerLikeFastify(error: FrameworkError, _request: FastifyRequest, reply: FastifyReply): void {
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
