// The forms of a list that run an action for several objects: the first one leads to the page that asks for confirmation, whose form
// runs the action, in parts if the objects are many. Objects that refuse it stay as they are.

import {
  type ApiResponse,
  clientPath,
  clientUrl,
  compareParameter,
  type HandlerContext,
  NotFound,
  type Respond,
  splitQuery,
  UnreadJson,
  type View,
} from '#core'
import { type BulkAction, listBulkActions } from './bulk/bulk-actions.ts'
import { emptyResult, formatResult, parseResult } from './bulk/bulk-result.ts'
import { formatSelection, readSelection } from './bulk/bulk-selection.ts'
import { bulkProgress } from './bulk-progress.ts'
import { formatCompareUrl } from './comparison.ts'
import { createBreadcrumbs } from './frame/breadcrumbs.ts'
import {
  bulkParameter,
  confirmedField,
  keepField,
  maxBulkObjects,
  maxObjectsPerRequest,
  resultField,
  stopField,
  undoAction,
  wholeListField,
} from './gateway/bulk-names.ts'
import { noticeHeaders } from './gateway/page-form.ts'
import { createWords } from './html/words.ts'
import { listAllPaths } from './list/list-all-paths.ts'
import { findListPath } from './page/find-list-path.ts'
import { runForSelected, type SelectedObjects } from './run-for-selected.ts'
import { runUndo } from './run-undo.ts'
import { readActivity } from './undo/read-changes.ts'

/**
 * Shows the list, whose page asks for confirmation; or runs the action and redirects to the list, or shows how far it is. A form
 * without an action is a 400, whose page asks for one. Throws NotFound for an action that the list does not offer.
 */
export async function runBulkForm(list: View, context: HandlerContext, respond: Respond): Promise<ApiResponse> {
  const { request, requestBody } = context
  const words = createWords(list, request)
  const form = requestBody.kind === 'form' ? requestBody.form : new URLSearchParams()
  if (form.has(keepField)) return readList(list, context)
  if (form.has(compareParameter)) return compareSelected(list, request, form)
  if (form.get(bulkParameter) === undoAction) return runUndo(list, context, form, respond)
  const actions = await listBulkActions(list, context, words)
  if (lacksAction(form) && actions.length > 0) return { ...(await readList(list, context)), status: 400 }
  const action = actions.find(({ name }) => name === form.get(bulkParameter))
  if (action === undefined) throw new NotFound()
  if (!form.has(confirmedField)) return readList(list, context)
  // The page of the list shows the error.
  if (lacksValue(action, form)) return { ...(await readList(list, context)), status: 400 }
  const paths = await findPaths(list, context, form)
  const isStopped = form.has(stopField)
  const size = isStopped ? 0 : maxObjectsPerRequest
  const selected = { list, action, form, paths: paths.slice(0, size) }
  const since = size === 0 ? undefined : (await readActivity(context, list, {}))[0]?.id
  const before = parseResult(form.get(resultField) ?? '') ?? emptyResult
  const result = await runForSelected(selected, before, context, respond)
  const remaining = paths.slice(size)
  const location = formatLocation(list, context, action)
  if (remaining.length > 0 && !isStopped) {
    const above = await createBreadcrumbs(
      { view: list, request, requestContext: context, status: 200, words },
      undefined,
      '',
    )
    const unfinished = { action, form, result, remaining, location, above }
    return { status: 200, body: bulkProgress(unfinished, { view: list, request, words }) }
  }
  const isWhole = remaining.length === 0 && result.refused === 0 && result.done === paths.length
  const undone = isWhole ? formatUndone(selected, since ?? 0) : ''
  const notice = `bulk-${formatResult(result)}:${action.name}:${remaining.length}${undone}`
  return { status: 303, headers: noticeHeaders(location, notice, list.baseUrl(request)) }
}

// The cookie of the notice has room for some hundred short keys.
const maxSelection = 1500

// Names the changed objects, for the button that takes the changes back. The log names deleted ones.
function formatUndone({ list, action, paths }: SelectedObjects, since: number): string {
  if (action.method === 'DELETE' && action.segment === '') return ''
  const selection = formatSelection(paths, list.root + list.path)
  return selection.length > maxSelection ? '' : `:${since}:${selection}`
}

/** Whether no action is chosen in the form. */
export const lacksAction = (form: URLSearchParams): boolean => form.get(bulkParameter) === ''

/** Whether the form lacks the value that its action asks for. */
export const lacksValue = ({ asked, edits }: BulkAction, form: URLSearchParams): boolean =>
  edits === undefined && Object.keys(asked).some(name => form.getAll(name).every(value => value === ''))

async function readList(list: View, context: HandlerContext): Promise<ApiResponse> {
  const response = await list.forMethod('GET').handlers.get('GET')!(context)
  return response.body instanceof UnreadJson ? await response.body.read() : response
}

// The page has a URL that can be kept.
function compareSelected(view: View, request: HandlerContext['request'], form: URLSearchParams): ApiResponse {
  const paths = readSelection(form, findListPath({ view, request }, view.listMetadata!))
  return { status: 303, headers: { location: formatCompareUrl(paths, { view, request }) } }
}

async function findPaths(list: View, context: HandlerContext, form: URLSearchParams): Promise<readonly string[]> {
  const { request } = context
  if (form.get(wholeListField) === '1') return listAllPaths(list, context, request.url, maxBulkObjects)
  const listPath = findListPath({ view: list, request }, list.listMetadata!)
  return readSelection(form, listPath).slice(0, maxBulkObjects)
}

// After a deletion, a page may be beyond the end of the list.
function formatLocation(list: View, { request }: HandlerContext, { method }: BulkAction): string {
  if (method !== 'DELETE') return clientUrl({ view: list, request })
  const { pageParameters, sizeParameter } = list.listMetadata!
  const parameters = [...new URLSearchParams(splitQuery(request.url)[1])].filter(
    ([name]) => !Object.hasOwn(pageParameters, name) || name === sizeParameter,
  )
  const path = clientPath({ view: list, request })
  return parameters.length === 0 ? path : `${path}?${new URLSearchParams(parameters)}`
}
