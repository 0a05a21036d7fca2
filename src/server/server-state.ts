// What the plugins of one server tell each other, in whichever order they are registered.

import type { Server } from 'node:http'
import type { FastifyRequest } from 'fastify'

/** Header values by lower-case name. */
export type HeaderFields = Readonly<Record<string, string>>

/** Returns header fields; without a request if the response is sent before Fastify knows the request. */
type CreateFields = (request?: FastifyRequest) => HeaderFields

interface ServerState {
  /** Fields of the responses that no hook reaches: malformed requests, and refusals during overload. */
  readonly rawFields: CreateFields[]
  /** The paths that are served even during overload: the health probes. */
  readonly exemptPaths: Set<string>
  /** True from the moment at which the server is told to stop. */
  isStopping: boolean
}

const states = new WeakMap<object, ServerState>()

/** Returns the state of a server; it is created at the first call. */
export function serverState(server: object): ServerState {
  const existing = states.get(server)
  if (existing !== undefined) return existing
  const state: ServerState = { rawFields: [], exemptPaths: new Set(), isStopping: false }
  states.set(server, state)
  return state
}

/** Returns the header fields of a response that is sent without Fastify's hooks. */
export function readRawFields(server: Server, request?: FastifyRequest): HeaderFields {
  return Object.assign({}, ...serverState(server).rawFields.map(create => create(request)))
}
