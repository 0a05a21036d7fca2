// Turns a function into a Fastify plugin that applies to the whole application (decision 050): its hooks and routes are
// added to the instance that registers it, not to a nested one.

import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import type * as z from 'zod'
import { parseOptions } from './options.ts'

/** Options that Fastify itself reads from the second argument of `register`. */
type RegisterOptions = Partial<Record<'prefix' | 'logLevel' | 'logSerializers' | 'encapsulate', unknown>>

// For a plugin without options, Zod's type would not accept the options that Fastify passes.
type PluginOptions<Input> = Input extends Record<string, never> ? object : Input & object

/** Creates the plugin `name`, which checks its options with `schema` before `register` is called. */
export function definePlugin<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  register: (app: FastifyInstance, options: z.output<Schema>) => void | Promise<void>,
): FastifyPluginAsync<PluginOptions<z.input<Schema>>> {
  const plugin = async (app: FastifyInstance, options: RegisterOptions): Promise<void> => {
    const { prefix: _, logLevel: __, logSerializers: ___, encapsulate: ____, ...own } = options
    await register(app, parseOptions(name, schema, own))
  }
  return Object.assign(plugin, {
    [Symbol.for('skip-override')]: true,
    [Symbol.for('fastify.display-name')]: name,
    [Symbol.for('plugin-meta')]: { name, fastify: '5.x' },
  })
}
