// Paths and queries.

import type { ClientOptions } from './options.ts'

/** A value that names an object. */
export type KeyValue = string | number | bigint

/** One segment of a path. Throws for a value that no URL can contain. */
export function formatSegment(value: unknown): string {
  // URLs remove these segments, so the request would be about another object.
  if (!isKey(value) || value === '' || value === '.' || value === '..')
    throw new TypeError(`${JSON.stringify(value) ?? value} cannot name an object in a URL`)
  return encodeURIComponent(String(value))
}

/** The segments that name an object: one, or those of a list. */
export const formatKey = (key: unknown): string =>
  Array.isArray(key) && key.length > 0 ? key.map(formatSegment).join('/') : formatSegment(key)

/** The path of a resource or a view, whose segments are names. */
export const formatNames = (path: string): string => path.split('/').map(formatSegment).join('/')

/** Whether a value can name an object. */
export const isKey = (value: unknown): value is KeyValue => ['string', 'number', 'bigint'].includes(typeof value)

/** Fills the parameters of a path such as `lines/:line/ship`. */
export const formatPath = (path: string, parameters: Readonly<Record<string, unknown>> = {}): string =>
  path.replace(/^\/+|\/+$/g, '').replace(/:([^/]+)/g, (_, name: string) => formatSegment(parameters[name]))

/** The parameters that choose what a response shows, by the names that the API has for them. */
export const listSelecting = ({ parameters }: Pick<ClientOptions, 'parameters'>): readonly string[] => {
  const { fields = 'fields', omit = 'omit', expand = 'expand' } = parameters ?? {}
  return [fields, omit, expand]
}

/** The parameters of a query. A list is one parameter, as docs/querying.md describes it; absent values are left out. */
export function formatQuery(query: object = {}, options: Pick<ClientOptions, 'parameters'> = {}): URLSearchParams {
  const named = [options.parameters?.ordering ?? 'ordering', ...listSelecting(options)]
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue
    if (!Array.isArray(value)) parameters.append(name, formatText(value))
    else if (value.length > 0) parameters.append(name, value.map(formatItem).join())
    // A server ignores an empty filter, so the list would contain every row.
    else if (!named.includes(name)) throw new TypeError(`${name}: an empty list is no filter`)
  }
  return parameters
}

const formatText = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value))

function formatItem(item: unknown): string {
  const text = formatText(item)
  return text === '' || /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
