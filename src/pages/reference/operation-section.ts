// An operation on its page: what it takes and returns on one side, the request as code and a response on the other.

import { html } from 'ghtml'
import {
  type JsonSchema,
  type MessageText,
  type Operation,
  type Parameter,
  type Response,
  STATUS_CODES,
  sharedDescriptions,
} from '#core'
import { resolveReference } from '#openapi'
import { codeTabs } from '../html/code-tabs.ts'
import { jsonView } from '../html/json-view.ts'
import { statusReasons } from '../html/status-reasons.ts'
import type { Words } from '../html/words.ts'
import type { PageKey } from '../messages/page-messages.ts'
import { findMembers } from './describe-value.ts'
import { memberTable, schemaTable } from './member-table.ts'
import {
  createExampleRequest,
  createExampleResponse,
  type ExampleParts,
  type ExampleResponse,
} from './operation-example.ts'
import type { ReferenceOperation } from './reference.ts'
import type { ReferenceReader } from './reference-reader.ts'
import { createRequestCode, quoteInShell, type ReferenceRequest } from './request-code.ts'
import { findJson } from './resource-fields.ts'
import { formatRowKey, isSuccess, listHeaders, toRow } from './shared-parts.ts'

/** The HTML of the section. */
export function operationSection(one: ReferenceOperation, parts: OperationParts): string {
  const { anchor, operation } = one
  const { reader } = parts
  const { words } = reader
  const name = operation.summary
  const request = createExampleRequest(one, parts)
  return html`<section class="operation" aria-label="${name}: ${one.method} ${one.path}">
<h3 id="${anchor}" tabindex="-1">${name} <a class="anchor" href="#${anchor}" aria-label="${words('reference.link_to', { name })}">#</a></h3>
<p class="request">!${requestLine(one)}</p>
<div class="sides"><div class="side">
!${operation.deprecated ? html`<p class="notice">${words('reference.deprecated_operation')}</p>` : ''}!${paragraphs(describe(operation, parts.description))}!${securityHtml(operation, words)}!${othersHtml(one, words)}!${parametersHtml(operation, reader)}!${bodyHtml(operation, reader)}!${responsesHtml(operation, reader)}</div>
<div class="side example-side">
!${requestTabs(anchor, request, words)}!${sendButton(request, parts)}!${responseExample(anchor, createExampleResponse(one, parts), words)}</div></div>
</section>
`
}

interface OperationParts extends ExampleParts {
  /** The description of the page, which its operations may repeat. */
  readonly description: string
  /** The path of the API, without a slash at its end. */
  readonly apiRoot: string
}

/** The method and the path. */
export const requestLine = ({ method, path }: Pick<ReferenceOperation, 'method' | 'path'>): string =>
  html`<code><b class="method ${method.toLowerCase()}">${method}</b> ${path}</code>`

/** Text as paragraphs. Markdown stays text. */
export const paragraphs = (text: string): string =>
  text
    .split(/\n\s*\n/)
    .filter(part => part.trim() !== '')
    .map(part => html`<p>${part.trim()}</p>`)
    .join('')

// A generated description repeats the summary or the description of the page.
const describe = ({ summary, description = '' }: Operation, ofPage: string): string =>
  description === `${summary}.` || description === ofPage ? '' : description

const othersHtml = ({ others }: ReferenceOperation, words: Words): string =>
  others.length === 0
    ? ''
    : fold(
        html`${words('reference.below_parent')} <span class="count">${others.length}</span>`,
        html`<ul class="others">!${others.map(other => html`<li id="${other.anchor}">!${requestLine(other)}</li>`)}</ul>`,
      )

function securityHtml({ security = [] }: Operation, words: Words): string {
  const names = security.flatMap(requirement => joinNames(Object.keys(requirement), words) || [])
  const isOpen = security.length > names.length || security.length === 0
  if (names.length === 0) return ''
  return html`<p class="help">${words(isOpen ? 'reference.schemes_or_none' : 'reference.schemes', { schemes: names.join(', ') })}</p>`
}

const joinNames = (names: readonly string[], words: Words): string =>
  names.reduce((first, second) => (first === '' ? second : words('reference.and', { first, second })), '')

const shaping: ReadonlySet<string> = new Set(['fields', 'omit', 'expand'])
const paging: ReadonlySet<string> = new Set(['page', 'page_size', 'limit', 'offset', 'cursor', 'after', 'before'])
const finding: ReadonlySet<string> = new Set(['search', 'ordering'])

/** The parameters in groups. */
function parametersHtml({ parameters = [] }: Operation, reader: ReferenceReader): string {
  const { words } = reader
  const inPlace = (place: Parameter['in']) => parameters.filter(parameter => parameter.in === place)
  const query = inPlace('query')
  const isList = query.some(({ name }) => finding.has(name) || paging.has(name))
  const named = (names: ReadonlySet<string>) => query.filter(({ name }) => names.has(name))
  const others = query.filter(({ name }) => ![shaping, paging, finding].some(names => names.has(name)))
  return [
    group('reference.path', inPlace('path'), true),
    group(isList ? 'page.filters' : 'reference.query', others, others.length <= 6),
    group('reference.search_order', named(finding), true),
    group('reference.page', named(paging), true),
    group('reference.shown', named(shaping), false),
    group('page.headers', inPlace('header'), false),
    group('reference.cookies', inPlace('cookie'), false),
  ].join('')

  function group(key: PageKey, listed: readonly Parameter[], isOpen: boolean): string {
    if (listed.length === 0) return ''
    const title = words(key)
    const rows = listed.map(parameter => toRow(parameter, words))
    const table = memberTable(title, rows, reader)
    const isShared = rows.every(row => reader.shared?.rows.has(formatRowKey(row)))
    return isShared ? table : part(html`${title} <span class="count">${listed.length}</span>`, table, isOpen, reader)
  }
}

const fold = (titleHtml: string, contentHtml: string, isOpen = false): string =>
  html`<details class="part" !${isOpen ? 'open' : ''}><summary>!${titleHtml}</summary>
!${contentHtml}</details>
`

// A part that an earlier operation has too becomes a link to that operation.
function part(titleHtml: string, contentHtml: string, isOpen: boolean, { words, findSame }: ReferenceReader): string {
  const same = findSame?.(contentHtml)
  if (same === undefined) return fold(titleHtml, contentHtml, isOpen)
  return html`<p class="known">!${titleHtml}: ${words('reference.as_in')} <a href="#${same.anchor}">${same.operation.summary}</a></p>
`
}

function bodyHtml({ requestBody }: Operation, reader: ReferenceReader): string {
  if (requestBody === undefined) return ''
  const { content, required, description = '' } = requestBody
  const { words } = reader
  const types = Object.keys(content).join(', ')
  const form = content['multipart/form-data']?.schema
  const schema = findJson(content) ?? form ?? Object.values(content)[0]?.schema ?? {}
  const note = html`<p class="help">${required ? types : words('reference.optional_body', { types })}</p>`
  const files = form === undefined ? '' : listFiles(form, reader)
  const extra = files === '' ? '' : html`<p class="help">${words('reference.files', { names: files })}</p>`
  return part(
    html`${words('page.body')}`,
    html`!${paragraphs(description)}!${note}!${extra}!${schemaTable(words('page.body'), schema, reader)}`,
    true,
    reader,
  )
}

const listFiles = (form: JsonSchema, { resolve }: ReferenceReader): string =>
  Object.entries((resolve(form).properties ?? {}) as Readonly<Record<string, JsonSchema>>)
    .filter(([, member]) => member.format === 'binary')
    .map(([name]) => name)
    .join(', ')

function responsesHtml({ responses }: Operation, reader: ReferenceReader): string {
  const byStatus = Object.entries(responses).map(
    ([status, response]) => [status, resolveReference(reader.document, response)] as const,
  )
  const errors = byStatus.filter(([status]) => !isSuccess(status))
  const successes = byStatus.filter(([status]) => isSuccess(status))
  return html`!${successes.map(([status, response]) => part(statusHtml(status, response), responseHtml(response, reader), false, reader))}!${errors.length === 0 ? '' : errorsHtml(errors, reader)}`
}

const statusHtml = (status: string, { description }: Response): string =>
  html`<b class="status">${status}</b> ${description}`

function responseHtml(response: Response, reader: ReferenceReader): string {
  const { content } = response
  const { words } = reader
  const types = Object.keys(content ?? {})
  const schema = findJson(content)
  return html`<p class="help">${types.length === 0 ? words('reference.no_body') : types.join(', ')}</p>!${schema === undefined ? '' : schemaTable(words('page.body'), schema, reader)}!${memberTable(words('page.headers'), listHeaders(response, reader), reader)}`
}

type NamedResponse = readonly [status: string, response: Response]

// The errors that the page describes, and those that say more here.
function errorsHtml(errors: readonly NamedResponse[], { words, shared }: ReferenceReader): string {
  const own = errors.filter(([status, { description }]) => shared?.errors.get(status) !== description)
  return html`<p class="known">${words('page.errors')}: <a class="status" href="#errors">${errors.map(([status]) => status).join(' ')}</a></p>
!${own.length === 0 ? '' : errorList(own, words)}`
}

const errorList = (errors: readonly NamedResponse[], words: Words): string =>
  html`<dl class="statuses">!${errors.map(([status, response]) => html`<dt><b class="status">${status}</b> ${STATUS_CODES[Number(status)] ?? words('reference.other_errors')}</dt><dd>${describeError(status, response, words)}</dd>`)}</dl>
`

/** The errors of all operations of a page, with links to their bodies. */
export function errorSection(
  operations: readonly ReferenceOperation[],
  reader: ReferenceReader,
  rootUrl: string,
): string {
  const { words, shared } = reader
  const errors = [...shared!.errors].map(([status, description]) => [status, { description }] as const)
  const names = listErrorNames(operations, reader)
  const byName =
    names.length === 0
      ? ''
      : html`<p>${words('reference.errors_by_name')}: !${names.map(name => html`<code>${name}</code>`).join(', ')}</p>
`
  return html`!${errorList(errors, words)}!${byName}<p class="help">${words('reference.error_bodies')} <a href="${rootUrl}#errors">${words('page.errors')}</a></p>
`
}

function listErrorNames(operations: readonly ReferenceOperation[], reader: ReferenceReader): readonly string[] {
  const names = operations.flatMap(({ operation: { responses } }) => {
    const rejected = responses[400] && findJson(resolveReference(reader.document, responses[400]).content)
    return Object.keys((rejected && findMembers(rejected, reader)?.properties) ?? {})
  })
  return [...new Set(names)].filter(name => name !== 'detail')
}

// The framework's own descriptions are in the caller's language.
function describeError(status: string, { description }: Response, words: Words): string {
  const key = statusReasons[status]
  const shared = (sharedDescriptions as Readonly<Record<string, MessageText>>)[status]
  const isOwn = shared !== undefined && description === words.text(shared)
  return key === undefined || !isOwn ? description : words(key)
}

const requestTabs = (anchor: string, request: ReferenceRequest, words: Words): string =>
  codeTabs(
    createRequestCode(request).map(({ name, code }) => ({ name, codeHtml: codeHtml(code, request) })),
    {
      id: anchor,
      label: words('page.request'),
      labelOf: name => words('reference.code_for', { name, operation: anchor }),
      copyText: name => words('page.copy_code', { name }),
      copiedText: words('page.copied'),
    },
  )

// The script reads the body of the command line.
function codeHtml(code: string, { body, isForm }: ReferenceRequest): string {
  const json = body === undefined || isForm ? '' : quoteInShell(JSON.stringify(body, null, 2))
  const start = json === '' ? -1 : code.indexOf(json)
  if (start === -1) return html`${code}`
  return html`${code.slice(0, start)}<span data-body>${json}</span>${code.slice(start + json.length)}`
}

// Files are chosen in the form of the page of the resource.
const sendButton = ({ method, url, isForm }: ReferenceRequest, { baseUrl, apiRoot, reader }: OperationParts): string =>
  isForm
    ? ''
    : html`<p class="send"><button type="button" data-try="${method}" data-url="${apiRoot + url.slice(baseUrl.length)}" data-needs-script hidden>${reader.words('reference.send')}</button></p>
`

function responseExample(anchor: string, response: ExampleResponse | undefined, words: Words): string {
  if (response === undefined) return ''
  const { status, description, mediaType, body, isReal, sameAs } = response
  const label = `${status} ${STATUS_CODES[Number(status)] ?? ''}`.trim()
  const bodyHtml =
    sameAs !== undefined
      ? html`<p class="help">${words('reference.same_body')} <a href="#${sameAs.anchor}">${sameAs.operation.summary}</a></p>`
      : body === undefined
        ? html`<p class="help">${mediaType === undefined ? words('reference.no_body') : words('reference.body_type', { type: mediaType })}</p>`
        : html`<pre class="body" tabindex="0" role="region" aria-label="${words('reference.response_to', { operation: anchor })}">!${jsonView(body, { maxText: 200, maxSize: 8 * 1024 }).html}</pre>`
  return html`<p class="response-line"><b class="status">${label}</b> ${isReal ? words('reference.real') : description}</p>
!${bodyHtml}`
}
