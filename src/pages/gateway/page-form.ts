// The forms of pages send PUT, PATCH and DELETE as a POST with `?_method=`, because HTML forms know only GET and POST. Only a
// form of a page of the same origin can do this: other sites cannot send these methods otherwise. A success redirects to a page.

import type { FastifyRequest } from 'fastify'
import {
  clientPath,
  emptyBody,
  type FormBody,
  formatCookie,
  frameworkMessages,
  type RenderedResponse,
  type RequestBody,
  searchParameter,
  searchPrefix,
  splitQuery,
  toOwnPath,
  type UploadBody,
  ValidationError,
  type View,
} from '#core'
import { listChangedFields } from './form-changes.ts'

/** The parameter with the method that a form means. */
export const methodParameter = '_method'
/** The parameter with the value of `If-Match`, which HTML forms cannot send. */
export const matchParameter = '_match'
/** The form fields that name controls which send nothing if they are empty, such as checkboxes. */
export const shownField = '_shown'
/** The field of the button that Enter presses, with the texts that the page has searched. */
export const enterField = '_enter'
/** The field of the button that asks for one more row: the name of the field with the children. */
export const addField = '_add'
/** The parameter of the form for a new object whose success leads to an empty form again. */
export const anotherParameter = '_another'
/** The parameter with the path and query of the page to which the success of a form leads. */
export const nextParameter = '_next'
/** The parameter of the page of an action, which names the action. */
export const actionParameter = 'action'
/** The parameter with the id of the change that a form or a page takes back. */
export const undoParameter = '_undo'
/** The parameter of the page that asks whether to delete its object. */
export const deletionParameter = 'delete'
/** The cookie that says what the redirected request has done, for the next page. */
export const noticeCookie = 'notice'

/** The beginning of the names of second boxes, into which a secret is typed once more. */
export const repeatPrefix = '_again_'

const methods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE'])

/** The request that a form of a page stands for. */
export interface PageForm {
  readonly request: FastifyRequest
  /** Whether it only searches related objects. */
  readonly isSearch: boolean
  /** The id of the change that it takes back. */
  readonly undone: string | undefined
  /** The page to which its success leads; undefined: that of its object or list. */
  readonly next: string | undefined
}

/** Ends a request whose form only searches related objects. */
export class UnsentForm extends ValidationError {}

/** Reads the request that a form stands for; undefined if the request is no form of a page. */
export function readPageForm(view: View, request: FastifyRequest): PageForm | undefined {
  if (!request.url.includes(methodParameter)) return undefined
  const [path, query] = splitQuery(request.url)
  const parameters = new URLSearchParams(query)
  const method = parameters.get(methodParameter) ?? ''
  const isSearch = parameters.has(searchParameter)
  const undone = parameters.get(undoParameter) ?? undefined
  if (!methods.has(method) || !isFromPage(view, request)) return undefined
  const match = parameters.get(matchParameter)
  const next = readNext(parameters, view, request)
  const ownParameters = [methodParameter, matchParameter, searchParameter, undoParameter, nextParameter]
  for (const name of ownParameters) parameters.delete(name)
  const headers = match === null ? request.headers : { ...request.headers, 'if-match': match }
  const sent = Object.create(request, {
    method: { value: method },
    url: { value: parameters.size === 0 ? path : `${path}?${parameters}` },
    headers: { value: headers },
  })
  return { request: sent, isSearch, undone, next }
}

/** The page of this server that a form names as its next one. */
export const readNext = (parameters: URLSearchParams, view: View, request: FastifyRequest): string | undefined =>
  parameters.has(nextParameter) ? toOwnPath(parameters.get(nextParameter), view.baseUrl(request)) : undefined

/** The texts by which a form searches the options of its controls. */
export const listSearchTexts = (form: URLSearchParams): string =>
  [...form].flatMap(([name, value]) => (name.startsWith(searchPrefix) ? value.trim() || [] : [])).join(' ')

/** Whether somebody has typed a search and pressed Enter, which presses no button of the search. */
export const searchesByEnter = (body: RequestBody): boolean =>
  (body.kind === 'form' || body.kind === 'upload') &&
  body.form.has(enterField) &&
  body.form.get(enterField) !== listSearchTexts(body.form)

/** Whether a form of a page of this origin sent the request. */
export function isFromPage(view: View, request: FastifyRequest): boolean {
  // Browsers send `Origin` with every POST of a form, and `Sec-Fetch-Site` too if the page is secure.
  const { origin, 'content-type': type = '', 'sec-fetch-site': site } = request.headers
  const hasPages = view.renderers.some(({ mediaType }) => mediaType === 'text/html')
  if (!hasPages || !/^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return false
  if (site !== undefined) return site === 'same-origin'
  return origin !== undefined && origin === findOwnOrigin(view, request)
}

function findOwnOrigin(view: View, request: FastifyRequest): string | undefined {
  try {
    return URL.parse(view.baseUrl(request))?.origin
  } catch {
    // The host is not allowed, which the first phase of the request reports.
    return undefined
  }
}

/**
 * Adds what a form does not send: unchecked boxes and empty lists. An empty write-only field stays as it is, unless it has a second
 * box. Rejects with ValidationError if the texts of the two boxes differ or are empty.
 */
export function completeForm(body: RequestBody, { forms, descriptions }: View, method: string): RequestBody {
  if (method === 'DELETE' && !descriptions.DELETE?.hasBody) return emptyBody
  if (body.kind !== 'form' && body.kind !== 'upload') return body
  const { form }: FormBody | UploadBody = body
  const fields = forms[method]?.fields ?? {}
  for (const name of form.getAll(shownField))
    if (!form.has(name)) form.set(name, fields[name]?.kind.isCheckbox ? 'false' : '')
  form.delete(shownField)
  form.delete(enterField)
  for (const [name, { writeOnly }] of Object.entries(fields)) {
    if (!writeOnly) continue
    const repeated = form.get(repeatPrefix + name)
    if (repeated !== null) checkRepeated(name, form.get(name), repeated)
    else if (form.get(name) === '') form.delete(name)
    form.delete(repeatPrefix + name)
  }
  return body
}

function checkRepeated(name: string, value: string | null, repeated: string): void {
  if (value !== repeated) throw new ValidationError({ [name]: frameworkMessages('password_mismatch') })
  if (value === '') throw new ValidationError({ [name]: frameworkMessages('blank') })
}

/** The result of a form's request. A notice is a result, and after a colon what it is about. */
export type FormResult = 'created' | 'saved' | 'deleted' | 'removed' | 'done'

const results: Readonly<Record<string, FormResult>> = { DELETE: 'deleted', POST: 'done' }

/** The notice that fields have been saved. */
const formatSaved = (names: readonly string[]): string => ['saved', ...names.slice(0, maxNames)].join(':')

/** A cookie has room for this many names. */
const maxNames = 50

/**
 * Redirects to the changed object, or to what is above a deleted object or an action; `request` is the one that the form means. The
 * response to an action has content to show, unless its status is 204. `next`: the page to which the form leads instead.
 */
export function redirectForm(view: View, request: FastifyRequest, next?: string): RenderedResponse {
  const path = clientPath({ view, request })
  const hasPage = view.handlers.has('GET')
  const result = hasPage ? (results[request.method] ?? 'saved') : 'done'
  const location = hasPage && result !== 'deleted' ? path : findParentPath(path)
  const action = hasPage ? findDeclaredAction(view, request) : formatViewAction(path, request.method)
  // The notice `deleted` offers Undo on the list of the deleted object. The next page may be another list.
  if (next !== undefined)
    return redirectTo(view, request, next, result === 'deleted' ? 'removed' : formatResult(result, request))
  const notice = action !== undefined && result !== 'deleted' ? formatDone(action) : formatResult(result, request)
  return redirectTo(view, request, location, notice)
}

const redirectTo = (view: View, request: FastifyRequest, location: string, notice: string): RenderedResponse => ({
  status: 303,
  headers: [view.headers, noticeHeaders(location, notice, view.baseUrl(request))],
  body: undefined,
})

const formatResult = (result: FormResult, request: FastifyRequest): string =>
  result === 'saved' ? formatSaved(listChangedFields(request)) : result

// A change with a name, on the page of its object.
function findDeclaredAction({ pageActions, objectMetadata }: View, { url }: FastifyRequest): string | undefined {
  const name = new URLSearchParams(splitQuery(url)[1]).get(actionParameter)
  return name !== null && objectMetadata !== undefined && Object.hasOwn(pageActions, name) ? name : undefined
}

/** The name of the action that a view below an object is; `path`: that of the request. */
export const formatViewAction = (path: string, method: string): string =>
  nameViewAction(path.split('/').findLast(segment => segment !== '') ?? '', method)

/** The name of the action of a view below an object; `segment`: the last part of its path. */
export const nameViewAction = (segment: string, method: string): string =>
  method === 'POST' ? segment : `${segment}.${method.toLowerCase()}`

/** The notice that an action has been done. */
export const formatDone = (action: string): string => `done:${action}`

/** The path above this one. */
export const findParentPath = (path: string): string => path.replace(/[^/]+\/?$/, '')

/** The header fields of a redirect to a page that shows a notice. */
export const noticeHeaders = (location: string, notice: string, baseUrl: string) => ({
  'cache-control': 'no-store',
  // The redirect is one of the pages, which no document describes.
  'content-type': 'text/html; charset=utf-8',
  location,
  'set-cookie': [formatCookie({ name: noticeCookie, value: notice, maxAge: 20, httpOnly: true }, baseUrl)],
})
