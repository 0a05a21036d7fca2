// The pages of the reference: the introduction, a page per tag, and what a search finds.

import { html } from 'ghtml'
import type { JsonSchema } from '../../openapi/json-schema.ts'
import type { OpenApiDocument, Operation, SecurityScheme } from '../../openapi/openapi-types.ts'
import { createSchemaReader, type SchemaReader } from '../../openapi/schema-reader.ts'
import { describeType, listChoices } from './describe-value.ts'
import { memberTable, schemaTable } from './member-table.ts'
import type { Sample } from './operation-example.ts'
import { operationSection, paragraphs, requestLine } from './operation-section.ts'
import type { Reference, ReferenceOperation, ReferencePage } from './reference.ts'
import { findListOperation, findObjectOperation, findSuccess, listFields } from './resource-fields.ts'

/** The URLs that the pages contain. */
export interface ReferenceUrls {
  /** The URL of the API, without a slash at its end. */
  readonly baseUrl: string
  /** The path of the introduction: `/docs/`. */
  readonly root: string
  /** The path of the API, without a slash at its end. */
  readonly apiRoot: string
  /** The path of the page of a tag. */
  readonly toPage: (slug: string) => string
}

/** With more pages than this, the introduction lists their names only. */
const maxListed = 60

const searchForm = ({ root }: ReferenceUrls, text: string): string =>
  html`<form class="find reference-find" role="search" aria-label="Reference" action="${root}"><input type="search" name="q" value="${text}" placeholder="Search the reference" aria-label="Search the reference" maxlength="200"><button>Search</button></form>
`

/** The introduction. */
export function introductionPage({ document, pages }: Reference, urls: ReferenceUrls): string {
  const reader = createSchemaReader(document)
  const sections = listSections(document, reader)
  const contents = [{ id: 'resources', title: 'Resources' }, ...sections]
  return html`<div class="reference" lang="en">
!${searchForm(urls, '')}!${paragraphs(document.info.description ?? '')}
<dl class="facts"><dt>Base URL</dt><dd><code>${urls.baseUrl}/</code></dd><dt>Version</dt><dd>${document.info.version}</dd><dt>OpenAPI</dt><dd><a href="${urls.apiRoot}/openapi.json">openapi.json</a>, <a href="${urls.apiRoot}/openapi.yaml">openapi.yaml</a></dd></dl>
<nav class="contents" aria-label="On this page">!${contents.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav>
!${heading('resources', 'Resources')}
!${resourceList(pages, urls)}!${sections.map(
    ({ id, title, content }) => html`!${heading(id, title)}
!${content}`,
  )}</div>`
}

const heading = (id: string, title: string): string =>
  html`<h2 id="${id}" tabindex="-1">${title} <a class="anchor" href="#${id}" aria-label="Link to ${title}">#</a></h2>`

function resourceList(pages: readonly ReferencePage[], urls: ReferenceUrls): string {
  const link = ({ slug, title }: ReferencePage) => html`<a href="${urls.toPage(slug)}">${title}</a>`
  if (pages.length > maxListed)
    return html`<ul class="page-names">!${pages.map(page => html`<li>!${link(page)}</li>`)}</ul>`
  return html`<dl class="pages">!${pages.map(page => html`<dt>!${link(page)}</dt><dd><ul>!${page.operations.map(one => operationLink(one, page, urls))}</ul></dd>`)}</dl>`
}

const operationLink = (one: ReferenceOperation, { slug }: ReferencePage, { toPage }: ReferenceUrls): string =>
  html`<li><a href="${toPage(slug)}#${one.anchor}">!${requestLine(one)} <span>${one.operation.summary}</span></a></li>`

interface Section {
  readonly id: string
  readonly title: string
  readonly content: string
}

function listSections(document: OpenApiDocument, reader: SchemaReader): readonly Section[] {
  const operations = Object.values(document.paths).flatMap(item => Object.values(item))
  const sections: readonly (Section | undefined)[] = [
    authenticationSection(document),
    errorSection(reader),
    paginationSection(document),
    rateSection(operations),
    conditionalSection(operations),
  ]
  return sections.filter(section => section !== undefined)
}

function authenticationSection({ components }: OpenApiDocument): Section | undefined {
  const schemes = Object.entries(components.securitySchemes)
  if (schemes.length === 0) return undefined
  return {
    id: 'authentication',
    title: 'Authentication',
    content: html`<p>A request uses one of these schemes. The service tries them in this order; each operation says which it accepts.</p>
<dl class="statuses">!${schemes.map(([name, scheme]) => html`<dt><code>${name}</code></dt><dd>${describeScheme(scheme)}</dd>`)}</dl>`,
  }
}

function describeScheme({ type, scheme, name, in: place, description = '' }: SecurityScheme): string {
  const fact =
    type === 'http'
      ? `HTTP authentication of the scheme ${scheme}.`
      : type === 'apiKey'
        ? `In the ${place === 'header' ? 'header field' : place} ${name}.`
        : `${type}.`
  return `${fact} ${description}`.trim()
}

const errorSection = (reader: SchemaReader): Section | undefined => {
  const { Error: plain, Problem: problem } = reader.document.components.schemas
  if (plain === undefined && problem === undefined) return undefined
  return {
    id: 'errors',
    title: 'Errors',
    content: html`<p>The status says what happened: 4xx is about the request, 5xx about the service. An invalid value is 400, and the body lists its errors by field: <code>{"title": ["This field is required."]}</code>. Any other error is an object with <code>detail</code>.</p>
!${plain === undefined ? '' : schemaTable('application/json', plain, reader)}!${problem === undefined ? '' : schemaTable('application/problem+json, if Accept asks for it', problem, reader)}`,
  }
}

function paginationSection(document: OpenApiDocument): Section | undefined {
  const found = Object.values(document.paths).flatMap(item => {
    const parameters = (item.get?.parameters ?? []).filter(({ name }) => pageParameters.has(name))
    return parameters.length === 0 ? [] : [parameters]
  })
  const parameters = [...new Map(found.flat().map(parameter => [parameter.name, parameter])).values()]
  if (parameters.length === 0) return undefined
  const rows = parameters.map(({ name, schema = {}, description = '' }) => ({
    name,
    schema: description === '' ? schema : { ...schema, description },
    flags: [],
  }))
  return {
    id: 'pagination',
    title: 'Pagination',
    content: html`<p>A list is sent in pages. A page contains the URL of the next one in <code>next</code>, or the header field <code>Link</code> has it: follow that URL until there is none.</p>
!${memberTable('Parameters of lists', rows, createSchemaReader(document))}`,
  }
}

const pageParameters: ReadonlySet<string> = new Set(['page', 'page_size', 'limit', 'offset', 'cursor'])

function rateSection(operations: readonly Operation[]): Section | undefined {
  const rates = operations.flatMap(operation => (operation['x-rate-limits'] as readonly Rate[] | undefined) ?? [])
  const distinct = [...new Map(rates.map(rate => [JSON.stringify(rate), rate])).values()]
  if (distinct.length === 0) return undefined
  return {
    id: 'rate-limits',
    title: 'Rate limits',
    content: html`<p>The header fields <code>RateLimit</code> and <code>RateLimit-Policy</code> say how many requests are left. Beyond that, the response is 429, and <code>Retry-After</code> says how many seconds to wait.</p>
<ul class="plain">!${distinct.map(({ name, limit, period }) => html`<li><code>${name}</code>: ${limit} requests per ${period === 1 ? 'second' : `${period} seconds`}</li>`)}</ul>`,
  }
}

interface Rate {
  readonly name: string
  readonly limit: number
  readonly period: number
}

function conditionalSection(operations: readonly Operation[]): Section | undefined {
  const names = new Set(operations.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)))
  const facts: readonly (readonly [name: string, text: string])[] = [
    [
      'If-None-Match',
      'The ETag of a response that you have stored. If it is current, the response is 304 without a body.',
    ],
    [
      'If-Match',
      'The ETag of the object that you have read. If somebody has changed it since then, the response is 412. In the code of the examples, it is the variable ETAG.',
    ],
    ['Idempotency-Key', 'A value of your choice. A request that is repeated with it takes effect once.'],
  ]
  const listed = facts.filter(([name]) => names.has(name))
  if (listed.length === 0) return undefined
  return {
    id: 'conditional-requests',
    title: 'Conditional requests',
    content: html`<dl class="statuses">!${listed.map(([name, text]) => html`<dt><code>${name}</code></dt><dd>${text}</dd>`)}</dl>`,
  }
}

/** The page of a tag. `sample`: what the caller may read of it. */
export function tagPage(reference: Reference, page: ReferencePage, urls: ReferenceUrls, sample: Sample): string {
  const reader = createSchemaReader(reference.document)
  const rows = listFields(page, reader)
  const one = findObjectOperation(page)
  const parts = {
    ...{ reader, sample, baseUrl: urls.baseUrl, listOperation: findListOperation(page) },
    objectSchema: one && findSuccess(one, reader),
  }
  const otherPages = html`<details class="fold all-pages"><summary>All resources</summary><ul class="page-names">!${reference.pages.map(({ slug, title }) => html`<li><a href="${urls.toPage(slug)}">${title}</a></li>`)}</ul></details>
`
  return html`<div class="reference" lang="en">
!${searchForm(urls, '')}!${otherPages}!${paragraphs(page.description)}
<nav class="contents operations" aria-label="Operations"><ul>!${page.operations.map(operation => html`<li><a href="#${operation.anchor}">!${requestLine(operation)} <span>${operation.operation.summary}</span></a></li>`)}</ul></nav>
!${
    rows.length === 0
      ? ''
      : html`!${heading('fields', 'Fields')}
!${memberTable('Fields', rows, reader)}`
  }!${heading('operations', 'Operations')}
!${page.operations.map(operation => operationSection(operation, parts, urls.root))}</div>`
}

/** The most results of a search. */
const maxFound = 50

interface Found {
  readonly href: string
  readonly title: string
  readonly fact: string
}

/** The page of a search for pages, operations, fields and their choices. */
export function searchPage({ document, pages }: Reference, urls: ReferenceUrls, text: string): string {
  const reader = createSchemaReader(document)
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (...texts: readonly string[]) => {
    const all = texts.join(' ').toLowerCase()
    return words.length > 0 && words.every(word => all.includes(word))
  }
  const found: Found[] = []
  for (const page of pages) {
    if (found.length > maxFound) break
    const href = urls.toPage(page.slug)
    if (matches(page.title, page.tag, page.description)) found.push({ href, title: page.title, fact: page.description })
    for (const { anchor, method, path, operation } of page.operations)
      if (
        matches(
          operation.summary,
          operation.operationId,
          path,
          page.title,
          ...(operation.description === `${operation.summary}.` ? [] : [operation.description]),
        )
      )
        found.push({ href: `${href}#${anchor}`, title: operation.summary, fact: `${method} ${path}` })
    for (const { name, anchor, schema } of listFields(page, reader))
      if (
        matches(
          name,
          page.title,
          describeField(schema),
          ...listChoices(schema, reader).flatMap(({ value, label }) => [value, label]),
        )
      )
        found.push({ href: `${href}#${anchor}`, title: `${page.title}: ${name}`, fact: describeType(schema, reader) })
  }
  const results =
    found.length === 0
      ? html`<p class="empty"><strong>Nothing matches &ldquo;${text}&rdquo;.</strong> Search for a resource, a field, a path or a name of an operation.</p>`
      : html`<ul class="found-parts">!${found.slice(0, maxFound).map(({ href, title, fact }) => html`<li><a href="${href}">${title}</a> <span>${fact}</span></li>`)}</ul>!${found.length > maxFound ? html`<p class="help">There are more results: add a word.</p>` : ''}`
  return html`<div class="reference" lang="en">
!${searchForm(urls, text)}!${results}</div>`
}

const describeField = ({ title = '', description = '' }: JsonSchema): string => `${title} ${description}`
