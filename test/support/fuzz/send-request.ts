// Fills in the known values of a planned request, and sends it.

import type { TestClient, TestResponse } from 'resource-api/testing'
import type { KnownValues } from './known-values.ts'
import { knownTag, type PlannedRequest } from './requests.ts'
import { KnownValue } from './schema-values.ts'

/** A request whose values are known. `text`: for messages. */
export interface SentRequest {
  readonly url: string
  readonly text: string
  send(client: TestClient): Promise<TestResponse>
}

/** Prepares a request. `prefix`: the path of the API. */
export function prepareRequest(planned: PlannedRequest, known: KnownValues, prefix: string): SentRequest {
  const fill = (value: unknown): unknown => fillKnown(value, known)
  const path = planned.template.replace(/\{([^}]+)\}/g, (_, name) => formatSegment(fill(planned.path[name])))
  const query = createQuery(planned.query.map(([name, value]) => [name, fill(value)]))
  const url = `${prefix}${path}${query.size === 0 ? '' : `?${query}`}`
  const tag = known.findTag(url) ?? '"none"'
  const headers = Object.fromEntries(
    planned.headers.map(([name, value]) => [name, String(value) === knownTag ? tag : String(value)]),
  )
  const body = planned.body && { ...planned.body, value: fill(planned.body.value) }
  return {
    url,
    text: `${planned.method} ${url} ${JSON.stringify(headers)} ${JSON.stringify(body ?? null)}`,
    send: async client => {
      const encoded = body === undefined ? {} : encodeBody(body.mediaType, body.value)
      const type = encoded.type === undefined ? {} : { 'content-type': encoded.type }
      const request = { method: planned.method, path: url, headers: { ...headers, ...type } }
      return client.request({ ...request, ...('body' in encoded && { body: encoded.body }) })
    },
  }
}

function fillKnown(value: unknown, known: KnownValues): unknown {
  if (value instanceof KnownValue) return (value.isKey ? known.findKey : known.find)(value.name, value.index) ?? null
  if (value instanceof File) return value
  if (Array.isArray(value)) return value.map(item => fillKnown(item, known))
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fillKnown(member, known)]))
    : value
}

function createQuery(pairs: readonly (readonly [string, unknown])[]): URLSearchParams {
  const query = new URLSearchParams()
  for (const [name, value] of pairs) query.append(name, formatText(value))
  return query
}

const formatText = (value: unknown): string =>
  Array.isArray(value)
    ? value.map(formatText).join(',')
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value)

// A URL has no segments that are empty, and `.` and `..` are removed before it is sent.
function formatSegment(value: unknown): string {
  const text = formatText(value).toWellFormed()
  return text === '' || text === '.' || text === '..' ? '-' : encodeURIComponent(text)
}

function encodeBody(mediaType: string, value: unknown): { readonly type?: string; readonly body?: unknown } {
  if (mediaType === 'application/x-www-form-urlencoded') return { body: createQuery(listPairs(value)) }
  if (mediaType === 'multipart/form-data') return { body: createForm(value) }
  return { ...(mediaType !== '' && { type: mediaType }), body: JSON.stringify(value) }
}

const listPairs = (value: unknown): [string, string | File][] =>
  Object.entries(value ?? {}).flatMap(([name, member]) =>
    [member]
      .flat()
      .map((item): [string, string | File] => [
        name.toWellFormed(),
        item instanceof File ? item : formatText(item).toWellFormed(),
      ]),
  )

function createForm(value: unknown): FormData {
  const form = new FormData()
  for (const [name, item] of listPairs(value)) form.append(name, item)
  return form
}
