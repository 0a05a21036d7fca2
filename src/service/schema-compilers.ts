// What Fastify compiles the schemas of routes with, loaded once a route has one. No route of ours has: to load them would
// be a tenth of every start.

import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'

type Compilers = Required<NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>>

/** Fastify's own compilers. */
export const schemaCompilers: Compilers = {
  buildValidator: (schemas: unknown, options: unknown) => load('@fastify/ajv-compiler')()(schemas, options),
  buildSerializer: (schemas, options) => load('@fastify/fast-json-stringify-compiler')()(schemas, options),
}

// They are Fastify's dependencies, so they are found from there.
const load = (name: string) => createRequire(createRequire(import.meta.url).resolve('fastify'))(name)
