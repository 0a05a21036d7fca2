// The context of the forms of a page: values, errors, and the state that a change applies to.

import { html } from 'ghtml'
import { type Form, isSafe, listVisibleFields, NotFound, type RequestBody, type View } from '#core'
import type { PageContext } from '../page/page-context.ts'
import { isListView } from '../page/page-title.ts'
import { pageUrl } from '../page/page-url.ts'
import { readObject } from '../page/read-data.ts'
import type { ResponseData } from '../page/response-data.ts'
import type { FormSource } from '../values/form-values.ts'
import type { ObjectFacts } from '../values/object-section.ts'
import { listErrors } from '../values/value-texts.ts'
import type { FormContext } from './forms.ts'
import type { Pickers } from './pickers.ts'

/** A page with forms. */
interface FormState extends Pick<ResponseData, 'body' | 'etag'> {
  readonly context: PageContext
  readonly csrfToken: string | undefined
  readonly forms: Readonly<Record<string, Form>>
  /** The state of the object, if a change expected another one. */
  readonly conflict: Pick<ResponseData, 'body' | 'etag'> | undefined
  readonly pickers: Pickers
  readonly facts: ObjectFacts
}

/** The context of the page's forms. */
export function createFormContext(content: FormState): FormContext {
  const { context, etag, csrfToken } = content
  const { view, error, words } = context
  return {
    ...createFormSource(content),
    pageUrl: pageUrl(context),
    csrfToken,
    mediaTypes: view.parsers.map(({ mediaType }) => mediaType),
    etag: error === undefined ? etag : undefined,
    match: findMatch(content),
    words,
    createsObject: isListView(view),
    objectName: view.envelope?.one,
    pickers: content.pickers,
    facts: content.facts.inGroups,
  }
}

/** The values and errors of the page's forms. */
export function createFormSource({
  context,
  body,
  conflict,
}: Pick<FormState, 'context' | 'body' | 'conflict'>): FormSource {
  const { view, error, requestContext } = context
  const rejected = findRejected(context)
  const object = error === undefined ? readObject(body, view.envelope) : {}
  const fields = listVisibleFields(view.objectMetadata?.fields ?? {}, requestContext)
  return {
    object,
    sums: Object.entries(fields).flatMap(([name, field]) =>
      field.sumOf && Object.hasOwn(object, name) ? [{ name, field, value: object[name] }] : [],
    ),
    isMissing: isMissing(context),
    rejected: rejected?.requestBody && {
      method: rejected.request.method,
      body: unwrapSubmitted(rejected.requestBody, rejected.view),
      errors: conflict ? { '': context.words('page.conflict') } : listErrors(rejected.error),
      ...(conflict && { current: readObject(conflict.body, view.envelope) }),
    },
  }
}

// The rejected request whose form the page shows again.
const findRejected = ({ rejection }: PageContext): PageContext | undefined =>
  rejection?.isInForm ? rejection.context : undefined

/**
 * The HTML of the state that a change applies to. The script sends it with requests that change the object, so they fail if the object
 * has changed after the page was made, or has been created.
 */
export function precondition(content: FormState): string {
  if (isMissing(content.context))
    return content.forms.PUT === undefined ? '' : '<data data-if-none-match value="*"></data>\n'
  const match = findMatch(content)
  return match === undefined
    ? ''
    : html`<data data-if-match value="${match}"></data>
`
}

// The state that a change of the page's object applies to; undefined if the page has no form for a change.
function findMatch({ context, etag, forms, conflict }: FormState): string | undefined {
  const { error, request } = context
  const rejected = findRejected(context)
  if (conflict !== undefined) return conflict.etag()
  const changesObject = ['PUT', 'PATCH'].some(method => forms[method]?.selectionParameters !== undefined)
  if (!changesObject) return undefined
  if (rejected !== undefined) return rejected.request.headers['if-match']
  return error === undefined && isSafe(request.method) ? etag() : request.headers['if-match']
}

// Whether the object of the page does not exist. The page has a form if a PUT creates the object.
const isMissing = ({ error }: PageContext): boolean => error instanceof NotFound

const unwrapSubmitted = (body: RequestBody, { envelope }: View): RequestBody =>
  body.kind === 'data' ? { ...body, data: readObject(body.data, envelope) } : body
