// The requests whose changes are recorded and committed.

import type { FastifyRequest } from 'fastify'

const recordedRequests = new WeakSet<FastifyRequest>()

/** Notes that the changes of the request are recorded and committed. */
export const markRecorded = (request: FastifyRequest): void => void recordedRequests.add(request)

/** Whether changes that the request itself made are recorded and committed; called actions do not count. */
export const isRecorded = (request: FastifyRequest): boolean => recordedRequests.has(request)
