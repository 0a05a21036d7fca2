// The form of a list that runs an action for several objects. The renderer of pages runs it.

import type { FastifyRequest } from 'fastify'
import { bulkParameter } from './bulk-names.ts'
import { isFromPage } from './page-form.ts'
import type { Renderer, SendRequest } from './renderers/renderer.ts'
import { splitQuery } from './urls/routing.ts'
import type { View } from './view.ts'

type RunBulkForm = NonNullable<Renderer<View>['runBulkForm']>

/** How the form of a list is run; undefined for other requests. */
export function findBulkForm(view: View, request: FastifyRequest): RunBulkForm | undefined {
  if (request.method !== 'POST' || !request.url.includes(bulkParameter) || view.listMetadata === undefined)
    return undefined
  const isForm = new URLSearchParams(splitQuery(request.url)[1]).has(bulkParameter) && isFromPage(view, request)
  return isForm ? view.renderers.find(({ runBulkForm }) => runBulkForm !== undefined)?.runBulkForm : undefined
}

/** The view that runs the action and redirects to the list. Callers who may read the list may call it. */
export function createBulkView(list: View, runBulkForm: RunBulkForm, send: SendRequest): View {
  const view: View = {
    ...list.forMethod('GET'),
    handlers: new Map([['GET', context => runBulkForm(list, context, send)]]),
    auditEvent: null,
    forMethod: () => view,
  }
  return view
}
