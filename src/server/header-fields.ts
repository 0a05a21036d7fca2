// Default headers of every response: JSON, pages, redirects, and errors, including those before routing. A response may
// override them. They are computed once, at start (decision 021).

import * as z from 'zod'
import { headerName } from './options.ts'
import { definePlugin } from './plugin.ts'
import { type HeaderFields, serverState } from './server-state.ts'

/** Header values by name; null removes a default. Values are sent unchanged, so they must not contain line breaks. */
export const headerFieldsSchema = z.record(
  headerName,
  z
    .string()
    .regex(/^[\x20-\x7e]+$/, 'must be printable ASCII, or null to remove the header')
    .nullable(),
)

/** API responses are data: browsers must not run scripts in them, and other sites must not frame, read or open them. */
const defaultFields: HeaderFields = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/**
 * Adds security headers to every response. `headers` adds or replaces fields; null removes one. Register this plugin
 * first: it does not reach the responses of plugins that were registered before it and respond early.
 *
 * @example
 * app.register(headerFields, { headers: { 'strict-transport-security': 'max-age=31536000' } })
 */
export const headerFields = definePlugin(
  'headerFields',
  z.strictObject({ headers: headerFieldsSchema.default({}) }),
  (app, { headers }) => {
    const fields = resolveHeaderFields(headers)
    serverState(app.server).rawFields.push(() => fields)
    app.addHook('onRequest', (_request, reply, done) => {
      reply.headers(fields)
      done()
    })
  },
)

/** Returns the fields that the plugin sends with these overrides, by lower-case name. */
export function resolveHeaderFields(headers: z.output<typeof headerFieldsSchema>): HeaderFields {
  const overrides = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  const all = Object.entries({ ...defaultFields, ...Object.fromEntries(overrides) })
  return Object.freeze(Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null)))
}
