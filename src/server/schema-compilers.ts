// The schema compilers of Fastify, which are loaded only if a route has a schema: the routes of the service have none,
// and loading the compilers takes a tenth of the start time.

import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'
import { memoize } from '#core'

type Compilers = Required<NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>>

/** Fastify's own compilers, each loaded at its first use. */
export const schemaCompilers: Compilers = {
  buildValidator(schemas: unknown, options: unknown) {
    const compile = loadCompiler('@fastify/ajv-compiler')(schemas, options)
    const compileHeaders = (route: Route) => compile({ ...route, schema: lowerCaseNames(route.schema) })
    return ((route: Route) => (route.httpPart === 'headers' ? compileHeaders(route) : compile(route))) as never
  },
  buildSerializer: (schemas: unknown, options: unknown) =>
    loadCompiler('@fastify/fast-json-stringify-compiler')(schemas, options),
}

// They are dependencies of Fastify, so they are resolved from its folder.
const loadCompiler = memoize(name => createRequire(createRequire(import.meta.url).resolve('fastify'))(name)(), {
  maxEntries: 2,
})

interface Route {
  readonly httpPart?: string
  readonly schema: HeaderSchema
}

interface HeaderSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

// Header names in Node are lower-case. Fastify converts the names in schemas only for compilers that it has loaded
// itself.
function lowerCaseNames(schema: HeaderSchema): HeaderSchema {
  const { properties, required } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name.toLowerCase(), property]),
      ),
    }),
    ...(required && { required: required.map(name => name.toLowerCase()) }),
  }
}
