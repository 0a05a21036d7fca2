// The requests that got the stored response to an earlier request: observers must not count its effects again.

import type { FastifyRequest } from 'fastify'

const replays = new WeakSet<FastifyRequest>()

export const markReplay = (request: FastifyRequest): void => void replays.add(request)

export const isReplay = (request: FastifyRequest): boolean => replays.has(request)
