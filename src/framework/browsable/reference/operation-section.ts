// An operation on its page: what it takes and returns on one side, the request as code and a response on the other.

import { html } from 'ghtml'
import { STATUS_CODES } from '../../http.ts'
import type { JsonSchema } from '../../openapi/json-schema.ts'
import type { Operation, Parameter, Response } from '../../openapi/openapi-types.ts'
import { resolveReference } from '../../openapi/resolve-reference.ts'
import type { SchemaReader } from '../../openapi/schema-reader.ts'
import { codeTabs } from '../code-tabs.ts'
import { jsonView } from '../json-view.ts'
import { type MemberRow, memberTable, schemaTable } from './member-table.ts'
import {
  createExampleRequest,
  createExampleResponse,
  type ExampleParts,
  type ExampleResponse,
} from './operation-example.ts'
import type { ReferenceOperation } from './reference.ts'
import { createRequestCode, type RequestCode } from './request-code.ts'
import { findJson } from './resource-fields.ts'

/** The HTML of the section. `rootUrl`: the URL of the reference. */
export function operationSection(one: ReferenceOperation, parts: ExampleParts, rootUrl: string): string {
  const { anchor, operation } = one
  const { reader } = parts
  return html`<section class="operation" aria-label="${operation.summary}: ${one.method} ${one.path}">
<h3 id="${anchor}" tabindex="-1">${operation.summary} <a class="anchor" href="#${anchor}" aria-label="Link to ${operation.summary}">#</a></h3>
<p class="request">!${requestLine(one)}</p>
<div class="sides"><div class="side">
!${operation.deprecated ? html`<p class="notice">This operation is deprecated.</p>` : ''}!${paragraphs(describe(operation))}!${securityHtml(operation)}!${othersHtml(one)}!${parametersHtml(operation, reader)}!${bodyHtml(operation, reader)}!${responsesHtml(operation, reader, rootUrl)}</div>
<div class="side example-side">
!${requestTabs(anchor, createRequestCode(createExampleRequest(one, parts)))}!${responseExample(anchor, createExampleResponse(one, parts))}</div></div>
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

const othersHtml = ({ others }: ReferenceOperation): string =>
  others.length === 0
    ? ''
    : fold(
        html`Also below a parent <span class="count">${others.length}</span>`,
        html`<ul class="others">!${others.map(other => html`<li id="${other.anchor}">!${requestLine(other)}</li>`)}</ul>`,
      )

function securityHtml({ security = [] }: Operation): string {
  const names = security.flatMap(requirement => Object.keys(requirement).join(' and ') || [])
  const isOpen = security.length > names.length || security.length === 0
  if (names.length === 0) return ''
  return html`<p class="help">Authentication: ${names.join(', ')}${isOpen ? ', or none' : ''}.</p>`
}

const shaping: ReadonlySet<string> = new Set(['fields', 'omit', 'expand'])
const paging: ReadonlySet<string> = new Set(['page', 'page_size', 'limit', 'offset', 'cursor', 'after', 'before'])
const finding: ReadonlySet<string> = new Set(['search', 'ordering'])

/** The parameters in groups. */
function parametersHtml({ parameters = [] }: Operation, reader: SchemaReader): string {
  const inPlace = (place: Parameter['in']) => parameters.filter(parameter => parameter.in === place)
  const query = inPlace('query')
  const isList = query.some(({ name }) => finding.has(name) || paging.has(name))
  const named = (names: ReadonlySet<string>) => query.filter(({ name }) => names.has(name))
  const others = query.filter(({ name }) => ![shaping, paging, finding].some(names => names.has(name)))
  return [
    group('Path', inPlace('path'), true),
    group(isList ? 'Filters' : 'Query', others, others.length <= 6),
    group('Search and order', named(finding), true),
    group('Page', named(paging), true),
    group('Select what is shown', named(shaping), false),
    group('Header fields', inPlace('header'), false),
    group('Cookies', inPlace('cookie'), false),
  ].join('')

  function group(title: string, listed: readonly Parameter[], isOpen: boolean): string {
    if (listed.length === 0) return ''
    return fold(
      html`${title} <span class="count">${listed.length}</span>`,
      memberTable(title, listed.map(toRow), reader),
      isOpen,
    )
  }
}

const toRow = ({ name, schema = {}, description = '', required, deprecated, explode }: Parameter): MemberRow => ({
  name,
  schema: { ...schema, title: undefined, description: description === '' ? schema.description : description },
  flags: [
    ...(required ? ['required'] : []),
    ...(deprecated ? ['deprecated'] : []),
    ...(explode === false ? ['separated by commas'] : []),
  ],
})

const fold = (
  titleHtml: string,
  contentHtml: string,
  isOpen = false,
): string => html`<details class="fold" !${isOpen ? 'open' : ''}><summary>!${titleHtml}</summary>
!${contentHtml}</details>
`

function bodyHtml({ requestBody }: Operation, reader: SchemaReader): string {
  if (requestBody === undefined) return ''
  const { content, required, description = '' } = requestBody
  const types = Object.keys(content)
  const form = content['multipart/form-data']?.schema
  const schema = findJson(content) ?? form ?? Object.values(content)[0]?.schema ?? {}
  const note = html`<p class="help">${types.join(', ')}${required ? '' : '; may be left out'}</p>`
  const files = form === undefined ? '' : listFiles(form, reader)
  const extra = files === '' ? '' : html`<p class="help">Files are sent as multipart/form-data: ${files}.</p>`
  return fold('Body', html`!${paragraphs(description)}!${note}!${extra}!${schemaTable('Body', schema, reader)}`, true)
}

const listFiles = (form: JsonSchema, { resolve }: SchemaReader): string =>
  Object.entries((resolve(form).properties ?? {}) as Readonly<Record<string, JsonSchema>>)
    .filter(([, member]) => member.format === 'binary')
    .map(([name]) => name)
    .join(', ')

function responsesHtml({ responses }: Operation, reader: SchemaReader, rootUrl: string): string {
  const found = Object.entries(responses).map(
    ([status, response]) => [status, resolveReference(reader.document, response)] as const,
  )
  const isSuccess = ([status]: readonly [string, Response]) => /^[23]/.test(status)
  const errors = found.filter(one => !isSuccess(one))
  const statuses = errors.map(([status]) => status).join(' ')
  return html`!${found.filter(isSuccess).map(([status, response]) => fold(statusHtml(status, response), responseHtml(response, reader)))}!${errors.length === 0 ? '' : fold(html`Errors <span class="count">${statuses}</span>`, errorsHtml(errors, reader, rootUrl))}`
}

const statusHtml = (status: string, { description }: Response): string =>
  html`<b class="status">${status}</b> ${description}`

function responseHtml({ headers = {}, content }: Response, reader: SchemaReader): string {
  const types = Object.keys(content ?? {})
  const schema = findJson(content)
  const rows = Object.entries(headers).map(([name, header]): MemberRow => {
    const { description, required, schema: value = {} } = resolveReference(reader.document, header)
    return {
      name,
      schema: { ...value, ...(description !== undefined && { description }) },
      flags: required ? ['always'] : [],
    }
  })
  return html`<p class="help">${types.length === 0 ? 'No body.' : types.join(', ')}</p>!${schema === undefined ? '' : schemaTable('Body', schema, reader)}!${memberTable('Header fields', rows, reader)}`
}

const errorsHtml = (errors: readonly (readonly [string, Response])[], reader: SchemaReader, rootUrl: string): string =>
  html`<dl class="statuses">!${errors.map(([status, response]) => html`<dt><b class="status">${status}</b> ${STATUS_CODES[Number(status)] ?? 'Other errors'}</dt><dd>${response.description}!${errorBody(status, response, reader)}</dd>`)}</dl>
<p class="help">The bodies of errors: <a href="${rootUrl}#errors">Errors</a>.</p>`

function errorBody(status: string, { content }: Response, reader: SchemaReader): string {
  const schema = findJson(content)
  const table = status === '400' && schema !== undefined ? schemaTable('Errors by name', schema, reader) : ''
  return table === '' ? '' : html`<details><summary>Errors by name</summary>!${table}</details>`
}

const requestTabs = (anchor: string, codes: readonly RequestCode[]): string =>
  codeTabs(
    codes.map(({ name, code }) => ({ name, codeHtml: html`${code}` })),
    {
      id: anchor,
      label: 'The request',
      labelOf: name => `${name} for ${anchor}`,
      copyText: name => `Copy ${name}`,
      copiedText: 'Copied',
    },
  )

function responseExample(anchor: string, response: ExampleResponse | undefined): string {
  if (response === undefined) return ''
  const { status, description, mediaType, body, isReal } = response
  const label = `${status} ${STATUS_CODES[Number(status)] ?? ''}`.trim()
  const bodyHtml =
    body === undefined
      ? html`<p class="help">${mediaType === undefined ? 'No body.' : `The body is ${mediaType}.`}</p>`
      : html`<pre class="body" tabindex="0" role="region" aria-label="Response to ${anchor}">!${jsonView(body, { maxText: 200, maxSize: 8 * 1024 }).html}</pre>`
  return html`<p class="response-line"><b class="status">${label}</b> ${isReal ? 'as the service responds to you now' : description}</p>
!${bodyHtml}`
}
