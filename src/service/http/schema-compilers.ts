// The compilers that Fastify uses for the schemas of routes. They are loaded when a route has a schema: the service's own
// routes have none, and loading the compilers takes a tenth of the start time.

import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'
import { remember } from '../../framework/remember.ts'

type Compilers = Required<NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>>

/** Fastify's own compilers. */
export const schemaCompilers: Compilers = {
  buildValidator(schemas: unknown, options: unknown) {
    const compile = builder('@fastify/ajv-compiler')(schemas, options)
    const ofFields = (route: Route) => compile({ ...route, schema: inLowerCase(route.schema) })
    return ((route: Route) => (route.httpPart === 'headers' ? ofFields(route) : compile(route))) as never
  },
  buildSerializer: (schemas: unknown, options: unknown) =>
    builder('@fastify/fast-json-stringify-compiler')(schemas, options),
}

// They are Fastify's dependencies, so they are found from there.
const builder = remember(name => createRequire(createRequire(import.meta.url).resolve('fastify'))(name)(), {
  entries: 2,
})

interface Route {
  readonly httpPart?: string
  readonly schema: HeaderSchema
}

interface HeaderSchema {
  readonly properties?: Readonly<Record<string, unknown>>
  readonly required?: readonly string[]
}

// Node has the names of header fields in lower case; Fastify writes schemas so for compilers that it has loaded itself.
function inLowerCase(schema: HeaderSchema): HeaderSchema {
  const { properties, required } = schema
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, own]) => [name.toLowerCase(), own])),
    }),
    ...(required && { required: required.map(name => name.toLowerCase()) }),
  }
}
