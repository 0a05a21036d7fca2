// The form that takes back what an action has done to several objects of a list: a PATCH for each changed object, and a POST for each
// deleted one. Objects that refuse stay as they are.

import type { FastifyRequest } from 'fastify'
import {
  type ApiResponse,
  clientUrl,
  frameworkMessages,
  type HandlerContext,
  type MessageText,
  type Respond,
  type View,
} from '#core'
import { addResult, emptyResult, formatResult, type Refusal } from './bulk/bulk-result.ts'
import { readSelection } from './bulk/bulk-selection.ts'
import { changeField, maxObjectsPerRequest, sinceField, undoAction } from './gateway/bulk-names.ts'
import { noticeHeaders } from './gateway/page-form.ts'
import { createWords } from './html/words.ts'
import { pageMessages } from './messages/page-messages.ts'
import { createObjectRequest } from './object-request.ts'
import { findListPath } from './page/find-list-path.ts'
import { findObject, type ListedPage, readReason, withoutThrottles } from './run-for-selected.ts'
import { readHistory } from './undo/read-changes.ts'
import { undoChange } from './undo/undo-change.ts'

/** Takes the changes back, and redirects to the list. */
export async function runUndo(
  list: View,
  context: HandlerContext,
  form: URLSearchParams,
  respond: Respond,
): Promise<ApiResponse> {
  const { request } = context
  const ids = form.getAll(changeField).slice(0, maxObjectsPerRequest)
  const paths = readSelection(form, findListPath({ view: list, request }, list.listMetadata!))
  const send = createSender(request, form, respond)
  const refusals: (Refusal | undefined)[] = []
  for (const id of ids) refusals.push(await send({ view: list, path: list.path, parameters: {}, id }, 'POST'))
  for (const path of paths.slice(0, maxObjectsPerRequest)) {
    const object = findObject(list, path)
    const id = object && (await findOwnChange(object, context, Number(form.get(sinceField))))
    const text = (message: MessageText) => createWords(list, request).text(message)
    if (object === undefined) refusals.push({ path, text: text(frameworkMessages('not_found')) })
    else if (id === undefined) refusals.push({ path, text: text(pageMessages('page.undo_changed')) })
    else refusals.push(await send({ ...object, path: object.ownPath, id }, 'PATCH'))
  }
  const refused = refusals.filter(refusal => refusal !== undefined)
  const notice = `bulk-${formatResult(addResult(emptyResult, refusals.length, refused))}:${undoAction}:0`
  return { status: 303, headers: noticeHeaders(clientUrl({ view: list, request }), notice, list.baseUrl(request)) }
}

// The last change of the object, if it is that of the caller: what others have changed since stays.
async function findOwnChange(
  { view, parameters }: ListedPage,
  context: HandlerContext,
  since: number,
): Promise<string | undefined> {
  const request = Object.create(context.request, { params: { value: parameters } })
  const [last] = await readHistory({ ...context, view, request }, view, {})
  const { user } = context
  const isOwn = user.isAuthenticated && last?.user === user.username && last.action === 'update' && last.id > since
  return isOwn ? String(last.id) : undefined
}

interface Undone extends Pick<ListedPage, 'view' | 'path' | 'parameters'> {
  /** The id of the change. */
  readonly id: string
}

function createSender(request: FastifyRequest, form: URLSearchParams, respond: Respond) {
  return async ({ view, path, parameters, id }: Undone, method: 'PATCH' | 'POST'): Promise<Refusal | undefined> => {
    const isNew = method === 'POST'
    const sent = createObjectRequest(request, form, {
      ...{ method, view, path },
      parameters: isNew ? request.params : parameters,
      // What others change meanwhile is found by the log.
      changesAnyState: !isNew,
    })
    const body = { kind: 'form', form: new URLSearchParams() } as const
    const response = await respond(withoutThrottles(undoChange(view, method, id), method), sent, { parse: () => body })
    return response.status < 300 ? undefined : { path, text: readReason(response) }
  }
}
