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
import { type MemberRow, memberTable, schemaTable } from './member-table.ts'
import {
  createExampleRequest,
  createExampleResponse,
  type ExampleParts,
  type ExampleResponse,
} from './operation-example.ts'
import type { ReferenceOperation } from './reference.ts'
import type { ReferenceReader } from './reference-reader.ts'
import { createRequestCode, type RequestCode } from './request-code.ts'
import { findJson } from './resource-fields.ts'

/** The HTML of the section. `rootUrl`: the URL of the reference. */
export function operationSection(one: ReferenceOperation, parts: ExampleParts, rootUrl: string): string {
  const { anchor, operation } = one
  const { reader } = parts
  const { words } = reader
  const name = operation.summary
  return html`<section class="operation" aria-label="${name}: ${one.method} ${one.path}">
<h3 id="${anchor}" tabindex="-1">${name} <a class="anchor" href="#${anchor}" aria-label="${words('reference.link_to', { name })}">#</a></h3>
<p class="request">!${requestLine(one)}</p>
<div class="sides"><div class="side">
!${operation.deprecated ? html`<p class="notice">${words('reference.deprecated_operation')}</p>` : ''}!${paragraphs(describe(operation))}!${securityHtml(operation, words)}!${othersHtml(one, words)}!${parametersHtml(operation, reader)}!${bodyHtml(operation, reader)}!${responsesHtml(operation, reader, rootUrl)}</div>
<div class="side example-side">
!${requestTabs(anchor, createRequestCode(createExampleRequest(one, parts)), words)}!${responseExample(anchor, createExampleResponse(one, parts), words)}</div></div>
</section>
`
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

// A generated description repeats the summary.
const describe = ({ summary, description = '' }: Operation): string =>
  description === `${summary}.` ? '' : description

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
    return fold(
      html`${title} <span class="count">${listed.length}</span>`,
      memberTable(
        title,
        listed.map(parameter => toRow(parameter, words)),
        reader,
      ),
      isOpen,
    )
  }
}

const toRow = (
  { name, schema = {}, description = '', required, deprecated, explode }: Parameter,
  words: Words,
): MemberRow => ({
  name,
  schema: { ...schema, title: undefined, description: description === '' ? schema.description : description },
  flags: [
    ...(required ? [words('page.required')] : []),
    ...(deprecated ? [words('reference.deprecated')] : []),
    ...(explode === false ? [words('reference.commas')] : []),
  ],
})

const fold = (
  titleHtml: string,
  contentHtml: string,
  isOpen = false,
): string => html`<details class="fold" !${isOpen ? 'open' : ''}><summary>!${titleHtml}</summary>
!${contentHtml}</details>
`

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
  return fold(
    html`${words('page.body')}`,
    html`!${paragraphs(description)}!${note}!${extra}!${schemaTable(words('page.body'), schema, reader)}`,
    true,
  )
}

const listFiles = (form: JsonSchema, { resolve }: ReferenceReader): string =>
  Object.entries((resolve(form).properties ?? {}) as Readonly<Record<string, JsonSchema>>)
    .filter(([, member]) => member.format === 'binary')
    .map(([name]) => name)
    .join(', ')

function responsesHtml({ responses }: Operation, reader: ReferenceReader, rootUrl: string): string {
  const found = Object.entries(responses).map(
    ([status, response]) => [status, resolveReference(reader.document, response)] as const,
  )
  const isSuccess = ([status]: readonly [string, Response]) => /^[23]/.test(status)
  const errors = found.filter(one => !isSuccess(one))
  const statuses = errors.map(([status]) => status).join(' ')
  return html`!${found.filter(isSuccess).map(([status, response]) => fold(statusHtml(status, response), responseHtml(response, reader)))}!${errors.length === 0 ? '' : fold(html`${reader.words('page.errors')} <span class="count">${statuses}</span>`, errorsHtml(errors, reader, rootUrl))}`
}

const statusHtml = (status: string, { description }: Response): string =>
  html`<b class="status">${status}</b> ${description}`

function responseHtml({ headers = {}, content }: Response, reader: ReferenceReader): string {
  const { words } = reader
  const types = Object.keys(content ?? {})
  const schema = findJson(content)
  const rows = Object.entries(headers).map(([name, header]): MemberRow => {
    const { description, required, schema: value = {} } = resolveReference(reader.document, header)
    return {
      name,
      schema: { ...value, ...(description !== undefined && { description }) },
      flags: required ? [words('reference.always')] : [],
    }
  })
  return html`<p class="help">${types.length === 0 ? words('reference.no_body') : types.join(', ')}</p>!${schema === undefined ? '' : schemaTable(words('page.body'), schema, reader)}!${memberTable(words('page.headers'), rows, reader)}`
}

const errorsHtml = (
  errors: readonly (readonly [string, Response])[],
  reader: ReferenceReader,
  rootUrl: string,
): string =>
  html`<dl class="statuses">!${errors.map(([status, response]) => html`<dt><b class="status">${status}</b> ${STATUS_CODES[Number(status)] ?? reader.words('reference.other_errors')}</dt><dd>${describeError(status, response, reader.words)}!${errorBody(status, response, reader)}</dd>`)}</dl>
<p class="help">${reader.words('reference.error_bodies')} <a href="${rootUrl}#errors">${reader.words('page.errors')}</a></p>`

// The framework's own descriptions are in the caller's language.
function describeError(status: string, { description }: Response, words: Words): string {
  const key = statusReasons[status]
  const shared = (sharedDescriptions as Readonly<Record<string, MessageText>>)[status]
  const isOwn = shared !== undefined && description === words.text(shared)
  return key === undefined || !isOwn ? description : words(key)
}

function errorBody(status: string, { content }: Response, reader: ReferenceReader): string {
  const schema = findJson(content)
  const title = reader.words('reference.errors_by_name')
  const table = status === '400' && schema !== undefined ? schemaTable(title, schema, reader) : ''
  return table === '' ? '' : html`<details><summary>${title}</summary>!${table}</details>`
}

const requestTabs = (anchor: string, codes: readonly RequestCode[], words: Words): string =>
  codeTabs(
    codes.map(({ name, code }) => ({ name, codeHtml: html`${code}` })),
    {
      id: anchor,
      label: words('page.request'),
      labelOf: name => words('reference.code_for', { name, operation: anchor }),
      copyText: name => words('page.copy_code', { name }),
      copiedText: words('page.copied'),
    },
  )

function responseExample(anchor: string, response: ExampleResponse | undefined, words: Words): string {
  if (response === undefined) return ''
  const { status, description, mediaType, body, isReal } = response
  const label = `${status} ${STATUS_CODES[Number(status)] ?? ''}`.trim()
  const bodyHtml =
    body === undefined
      ? html`<p class="help">${mediaType === undefined ? words('reference.no_body') : words('reference.body_type', { type: mediaType })}</p>`
      : html`<pre class="body" tabindex="0" role="region" aria-label="${words('reference.response_to', { operation: anchor })}">!${jsonView(body, { maxText: 200, maxSize: 8 * 1024 }).html}</pre>`
  return html`<p class="response-line"><b class="status">${label}</b> ${isReal ? words('reference.real') : description}</p>
!${bodyHtml}`
}
