// The forms of a list that choose several objects and an action, and confirm it. The renderer of pages handles them.

import type { FastifyRequest } from 'fastify'
import { formParser, type Handler, splitQuery, type View } from '#core'
import { bulkParameter, maxBulkObjects } from './bulk-names.ts'
import { isFromPage } from './page-form.ts'

/** The request that such a form stands for: a GET of the list, with the form as its body. */
export interface BulkForm {
  readonly view: View
  readonly request: FastifyRequest
}

/** Reads the form; undefined for other requests. Callers who may read the list may send it; `run` handles it. */
export function readBulkForm(list: View, request: FastifyRequest, run: Handler): BulkForm | undefined {
  if (!request.url.includes(bulkParameter) || list.listMetadata === undefined) return undefined
  const [path, queryText] = splitQuery(request.url)
  const query = new URLSearchParams(queryText)
  if (!query.has(bulkParameter) || !isFromPage(list, request)) return undefined
  query.delete(bulkParameter)
  const view: View = {
    ...list.forMethod('GET'),
    handlers: new Map([['GET', run]]),
    parsers: [selectionParser],
    auditEvent: null,
    forMethod: () => view,
  }
  const url = query.size === 0 ? path : `${path}?${query}`
  return { view, request: Object.create(request, { method: { value: 'GET' }, url: { value: url } }) }
}

// A page may have more rows than other forms have fields.
const selectionParser = formParser({ maxFields: maxBulkObjects + 100 })
