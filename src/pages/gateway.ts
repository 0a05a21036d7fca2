// The forms of pages: each is a POST that stands for another request. The gateway turns it into that request before the phases run,
// so that the phases know no forms.

import type { FastifyRequest } from 'fastify'
import { type BodyReader, parseBody, type RenderedResponse, type Respond, readBodyOfDelete, type View } from '#core'
import { readBulkForm } from './gateway/bulk-form.ts'
import { compareObjects } from './gateway/form-changes.ts'
import {
  completeForm,
  type PageForm,
  readPageForm,
  redirectForm,
  searchesByEnter,
  UnsentForm,
} from './gateway/page-form.ts'
import { readImportForm } from './imports/import-form.ts'
import { runBulkForm } from './run-bulk-form.ts'
import { undoChange } from './undo/undo-change.ts'

/** Responds to a POST that the form of a page sent; undefined for any other. */
export function gateway(view: View, request: FastifyRequest, respond: Respond): Promise<RenderedResponse> | undefined {
  // Forms of pages say in the query what they mean.
  if (!request.url.includes('?')) return undefined
  const form = readPageForm(view, request)
  if (form !== undefined) return respondToForm(view, form, respond)
  const bulk = readBulkForm(view, request, context => runBulkForm(view, context, respond))
  if (bulk === undefined) {
    const imported = readImportForm(view, request)
    return imported && respond(imported.view, imported.request)
  }
  return respond(bulk.view, bulk.request, { parse: readBodyOfDelete })
}

async function respondToForm(
  view: View,
  { request, isSearch, undone, next }: PageForm,
  respond: Respond,
): Promise<RenderedResponse> {
  const target = undone === undefined ? view : undoChange(view, request.method, undone)
  const response = await respond(compareObjects(target, request.method), request, isSearch ? searchBody : formBody)
  const { status } = response
  const hasContent = request.method === 'POST' && status !== 204
  return status < 300 && !hasContent ? redirectForm(view, request, next) : response
}

const formBody: BodyReader = {
  parse: readBodyOfDelete,
  complete(body, view, method) {
    if (searchesByEnter(body)) throw new UnsentForm({})
    return completeForm(body, view as View, method)
  },
}
const searchBody: BodyReader = {
  parse: parseBody,
  complete() {
    throw new UnsentForm({})
  },
}
