// Keeps what was typed into the form of a page whose session has ended: the login form contains it in hidden inputs, and the page
// after the login offers to send it. Nothing is sent without a click. Secrets and files are not kept.
//
// Only for this, the body of a refused request is read, up to `keptLimits`, if a page of this origin has sent it.

import { html } from 'ghtml'
import {
  APIException,
  clientPath,
  csrfField,
  type Field,
  type Fields,
  formParser,
  listChildFields,
  multipartParser,
  parseBody,
  type RequestBody,
  splitQuery,
  toOwnPath,
} from '#core'
import type { Words } from '../html/words.ts'
import type { PageContext } from '../page/page-context.ts'
import { addField, isFromPage, repeatPrefix } from './page-form.ts'

/** A form that was not sent, because its sender was not logged in. */
export interface KeptForm {
  /** The path and query to which the form is sent. */
  readonly url: string
  readonly fields: URLSearchParams
  /** Whether the form had secrets or files too, which are not kept. */
  readonly isPartial: boolean
}

/** How much of a form is kept: the size of its names and values in bytes, and the number of fields. */
export const keptLimits = Object.freeze({ size: 100_000, fields: 1000 })

// The files of a form arrive anyway; they are skipped.
const fileLimits = { maxFiles: 1000, maxSize: 32 * 1024 * 1024 }
const parserLimits = { limit: 4 * keptLimits.size, maxFields: keptLimits.fields }
const parsers = [formParser(parserLimits), multipartParser(parserLimits).withFiles!(fileLimits)]

/**
 * Reads the form of a request that needs a login: `lost` if it cannot be kept, and undefined if the request is no form of a page of
 * this origin, or if nothing can be typed into the form.
 */
export async function readUnsentForm(context: PageContext): Promise<KeptForm | 'lost' | undefined> {
  const { view, request } = context
  const fields = view.forms[request.method]?.fields
  if (fields === undefined || request.method === 'DELETE' || !isFromPage(view, request)) return undefined
  // The request that the form means does not have all of its parameters.
  const [, query] = splitQuery(request.raw.url ?? '')
  const path = clientPath({ view, request })
  const url = toOwnPath(path + query, view.baseUrl(request))
  if (url === undefined) return 'lost'
  try {
    const { form, hasFiles } = await readForm(context.requestBody ?? (await parseBody(request, parsers)))
    const typed = [...form].filter(([name, value]) => name !== csrfField && !(value === '' && isSecret(name, fields)))
    const kept = typed.filter(([name]) => !isSecret(name, fields))
    const size = kept.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0)
    if (size > keptLimits.size) return 'lost'
    return { url, fields: new URLSearchParams(kept), isPartial: hasFiles || kept.length < typed.length }
  } catch (error) {
    if (error instanceof APIException) return 'lost'
    throw error
  }
}

async function readForm(body: RequestBody): Promise<{ readonly form: URLSearchParams; readonly hasFiles: boolean }> {
  if (body.kind === 'form') return { form: body.form, hasFiles: body.files !== undefined && body.files.size > 0 }
  if (body.kind !== 'upload') return { form: new URLSearchParams(), hasFiles: false }
  let hasFiles = false
  // An empty file input sends a file without a name.
  for await (const { filename } of body.files) hasFiles ||= filename !== ''
  return { form: body.form, hasFiles }
}

/** The hidden fields that a page adds to its fields. */
const pageField = /^_(?:enter$|shown$|saved\.|search\.)/

// A field that the form does not declare may be a secret too.
function isSecret(name: string, fields: Fields): boolean {
  if (pageField.test(name) || name === addField) return false
  const [first = '', ...path] = name.split(/\.|\[\d+\]/).filter(part => part !== '')
  let field = Object.hasOwn(fields, first) ? fields[first] : undefined
  for (const part of path) {
    if (field === undefined || field.writeOnly || part.startsWith(repeatPrefix)) return true
    // The controls of a row, such as the one that removes it.
    if (part.startsWith('_')) return false
    const children: Fields = field.childStorage ? listChildFields(field) : (field.children ?? {})
    field = Object.hasOwn(children, part) ? children[part] : undefined
  }
  return field === undefined || hasSecrets(field)
}

const hasSecrets = ({ writeOnly, file, child, children = {} }: Field): boolean =>
  writeOnly ||
  file !== undefined ||
  (child !== undefined && hasSecrets(child)) ||
  Object.values(children).some(hasSecrets)

const urlName = 'kept_url'
const partialName = 'kept_partial'
const fieldPrefix = 'kept.'

/** The hidden inputs with which a login form keeps the form. */
export const keptInputs = ({ url, fields, isPartial }: KeptForm): string =>
  html`!${hiddenInput(urlName, url)}!${isPartial ? hiddenInput(partialName, 'true') : ''}!${hiddenInputs(fields, fieldPrefix)}`

/** Reads the inputs of a submitted login form; undefined if it keeps no form, or one that is sent to another origin. */
export function readKeptForm(body: RequestBody, baseUrl: string): KeptForm | undefined {
  if (body.kind !== 'form') return undefined
  const url = toOwnPath(body.form.get(urlName), baseUrl)
  if (url === undefined) return undefined
  const fields = [...body.form].flatMap(([name, value]) =>
    name.startsWith(fieldPrefix) ? [[name.slice(fieldPrefix.length), value] as [string, string]] : [],
  )
  return { url, fields: new URLSearchParams(fields), isPartial: body.form.has(partialName) }
}

/** The page after the login, as HTML. `token`: the CSRF token of the new session; `next`: the page without sending. */
export function keptFormPage(
  { url, fields, isPartial }: KeptForm,
  { token, next }: { readonly token: string; readonly next: string },
  words: Words,
): string {
  return html`<p class="lead">${words('page.kept_unsent')}!${isPartial ? html` ${words('page.kept_partial')}` : ''}</p>
<form method="post" action="${url}" enctype="multipart/form-data">
!${hiddenInput(csrfField, token)}!${hiddenInputs(fields)}<p class="send"><button class="primary">${words('page.kept_send')}</button> <a href="${next}">${words('page.kept_skip')}</a></p>
</form>
`
}

/** The sentence of a login form about a form that was not sent. */
export function unsentMessage(form: KeptForm | 'lost', words: Words): string {
  const kept = form === 'lost' ? words('page.kept_lost') : words('page.kept')
  const partial = form !== 'lost' && form.isPartial ? words('page.kept_partial') : ''
  return [words('page.kept_reason'), kept, partial].filter(text => text !== '').join(' ')
}

const hiddenInputs = (fields: URLSearchParams, prefix = ''): string =>
  Array.from(fields, ([name, value]) => hiddenInput(prefix + name, value)).join('')

const hiddenInput = (name: string, value: string): string => html`<input type="hidden" name="${name}" value="${value}">`
