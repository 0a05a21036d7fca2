// The pages of the reference: the introduction, a page per tag, and what a search finds.

import { html } from 'ghtml'
import { frameworkMessages, type JsonSchema, type OpenApiDocument, type Operation, type SecurityScheme } from '#core'
import type { Words } from '../html/words.ts'
import type { PageKey } from '../messages/page-messages.ts'
import { describeType, listChoices } from './describe-value.ts'
import { memberTable, schemaTable } from './member-table.ts'
import { paragraphs, requestLine } from './operation-section.ts'
import type { Reference, ReferenceOperation, ReferencePage } from './reference.ts'
import { createReferenceReader, type ReferenceReader } from './reference-reader.ts'
import { listFields } from './resource-fields.ts'

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
export const maxListed = 60

export const searchForm = ({ root }: ReferenceUrls, words: Words, text: string): string =>
  html`<form class="find reference-find" role="search" aria-label="${words('page.reference')}" action="${root}"><input type="search" name="q" value="${text}" placeholder="${words('reference.search')}" aria-label="${words('reference.search')}" maxlength="200"><button>${words('page.picker_button')}</button></form>
`

/** The introduction. */
export function introductionPage({ document, pages }: Reference, urls: ReferenceUrls, words: Words): string {
  const reader = createReferenceReader(document, words)
  const sections = listSections(reader)
  const contents = [{ id: 'resources', title: words('reference.resources') }, ...sections]
  return html`<div class="reference">
!${searchForm(urls, words, '')}!${paragraphs(document.info.description ?? '')}
<dl class="facts"><dt>${words('reference.base_url')}</dt><dd><code>${urls.baseUrl}/</code></dd><dt>${words('reference.version')}</dt><dd>${document.info.version}</dd><dt>OpenAPI</dt><dd><a href="${urls.apiRoot}/openapi.json">openapi.json</a>, <a href="${urls.apiRoot}/openapi.yaml">openapi.yaml</a></dd></dl>
<nav class="contents" aria-label="${words('reference.on_page')}">!${contents.map(({ id, title }) => html`<a href="#${id}">${title}</a> `)}</nav>
!${heading('resources', words('reference.resources'), words)}
!${resourceList(pages, urls)}!${sections.map(
    ({ id, title, content }) => html`!${heading(id, title, words)}
!${content}`,
  )}</div>`
}

export const heading = (id: string, title: string, words: Words): string =>
  html`<h2 id="${id}" tabindex="-1">${title} <a class="anchor" href="#${id}" aria-label="${words('reference.link_to', { name: title })}">#</a></h2>`

function resourceList(pages: readonly ReferencePage[], urls: ReferenceUrls): string {
  const link = (page: ReferencePage) => html`<a href="${urls.toPage(page.slug)}">${page.title}</a>`
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

function listSections(reader: ReferenceReader): readonly Section[] {
  const { document, words } = reader
  const operations = Object.values(document.paths).flatMap(item => Object.values(item))
  const sections: readonly (Section | undefined)[] = [
    authenticationSection(document, words),
    errorBodySection(reader),
    paginationSection(reader),
    rateSection(operations, words),
    conditionalSection(operations, words),
  ]
  return sections.filter(section => section !== undefined)
}

function authenticationSection({ components }: OpenApiDocument, words: Words): Section | undefined {
  const schemes = Object.entries(components.securitySchemes)
  if (schemes.length === 0) return undefined
  return {
    id: 'authentication',
    title: words('reference.authentication'),
    content: html`<p>${words('reference.authentication_about')}</p>
<dl class="statuses">!${schemes.map(([name, scheme]) => html`<dt><code>${name}</code></dt><dd>${describeScheme(scheme, words)}</dd>`)}</dl>`,
  }
}

function describeScheme(
  { type, scheme = '', name = '', in: place, description = '' }: SecurityScheme,
  words: Words,
): string {
  const fact =
    type === 'http'
      ? words('reference.http_scheme', { scheme })
      : type === 'apiKey'
        ? words(placeTexts[place ?? ''] ?? 'reference.in_query', { name })
        : `${type}.`
  return `${fact} ${description}`.trim()
}

const placeTexts: Readonly<Record<string, PageKey>> = { header: 'reference.in_header', cookie: 'reference.in_cookie' }

const errorBodySection = (reader: ReferenceReader): Section | undefined => {
  const { words } = reader
  const { Error: plain, Problem: problem } = reader.document.components.schemas
  if (plain === undefined && problem === undefined) return undefined
  return {
    id: 'errors',
    title: words('page.errors'),
    content: html`<p>${words('reference.errors_about')} <code>${JSON.stringify({ title: [words.text(frameworkMessages('required'))] })}</code></p>
<p>${words('reference.errors_other')} <code>detail</code></p>
!${plain === undefined ? '' : schemaTable('application/json', plain, reader)}!${problem === undefined ? '' : schemaTable(words('reference.problem'), problem, reader)}`,
  }
}

function paginationSection(reader: ReferenceReader): Section | undefined {
  const { document, words } = reader
  const ofPaths = Object.values(document.paths).flatMap(item => {
    const parameters = (item.get?.parameters ?? []).filter(({ name }) => pageParameters.has(name))
    return parameters.length === 0 ? [] : [parameters]
  })
  const parameters = [...new Map(ofPaths.flat().map(parameter => [parameter.name, parameter])).values()]
  if (parameters.length === 0) return undefined
  const rows = parameters.map(({ name, schema = {}, description = '' }) => ({
    name,
    schema: description === '' ? schema : { ...schema, description },
    flags: [],
  }))
  return {
    id: 'pagination',
    title: words('reference.pagination'),
    content: html`<p>${words('reference.pagination_about')}</p>
!${memberTable(words('reference.list_parameters'), rows, reader)}`,
  }
}

const pageParameters: ReadonlySet<string> = new Set(['page', 'page_size', 'limit', 'offset', 'cursor'])

function rateSection(operations: readonly Operation[], words: Words): Section | undefined {
  const rates = operations.flatMap(operation => (operation['x-rate-limits'] as readonly Rate[] | undefined) ?? [])
  const distinct = [...new Map(rates.map(rate => [JSON.stringify(rate), rate])).values()]
  if (distinct.length === 0) return undefined
  return {
    id: 'rate-limits',
    title: words('reference.rate_limits'),
    content: html`<p>${words('reference.rate_limits_about')}</p>
<ul class="plain">!${distinct.map(({ name, limit, period }) => html`<li><code>${name}</code>: ${period === 1 ? words('reference.rate_second', { limit }) : words('reference.rate_seconds', { limit, seconds: period })}</li>`)}</ul>`,
  }
}

interface Rate {
  readonly name: string
  readonly limit: number
  readonly period: number
}

function conditionalSection(operations: readonly Operation[], words: Words): Section | undefined {
  const names = new Set(operations.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name)))
  const listed = Object.entries(conditions).filter(([name]) => names.has(name))
  if (listed.length === 0) return undefined
  return {
    id: 'conditional-requests',
    title: words('reference.conditional'),
    content: html`<dl class="statuses">!${listed.map(([name, key]) => html`<dt><code>${name}</code></dt><dd>${words(key)}</dd>`)}</dl>`,
  }
}

const conditions: Readonly<Record<string, PageKey>> = {
  'If-None-Match': 'reference.if_none_match',
  'If-Match': 'reference.if_match',
  'Idempotency-Key': 'reference.idempotency_key',
}

/** The most results of a search. */
const maxFound = 50

interface Found {
  readonly href: string
  readonly title: string
  readonly fact: string
}

/** The page of a search for pages, operations, fields and their choices. */
export function searchPage({ document, pages }: Reference, urls: ReferenceUrls, words: Words, text: string): string {
  const reader = createReferenceReader(document, words)
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  const matches = (...texts: readonly string[]) => {
    const all = texts.join(' ').toLowerCase()
    return wanted.length > 0 && wanted.every(word => all.includes(word))
  }
  const hits: Found[] = []
  for (const page of pages) {
    if (hits.length > maxFound) break
    const href = urls.toPage(page.slug)
    const title = page.title
    if (matches(title, page.tag, page.description)) hits.push({ href, title, fact: page.description })
    for (const { anchor, method, path, operation } of page.operations)
      if (
        matches(
          operation.summary,
          operation.summary,
          operation.operationId,
          path,
          title,
          ...(operation.description === `${operation.summary}.` ? [] : [operation.description]),
        )
      )
        hits.push({ href: `${href}#${anchor}`, title: operation.summary, fact: `${method} ${path}` })
    for (const { name, anchor, schema } of listFields(page, reader))
      if (
        matches(
          name,
          title,
          describeField(schema),
          ...listChoices(schema, reader).flatMap(({ value, label }) => [value, label]),
        )
      )
        hits.push({ href: `${href}#${anchor}`, title: `${title}: ${name}`, fact: describeType(schema, reader) })
  }
  const results =
    hits.length === 0
      ? html`<p class="empty"><strong>${words('page.found_none', { text })}</strong> ${words('reference.search_hint')}</p>`
      : html`<ul class="found-parts">!${hits.slice(0, maxFound).map(({ href, title, fact }) => html`<li><a href="${href}">${title}</a> <span>${fact}</span></li>`)}</ul>!${hits.length > maxFound ? html`<p class="help">${words('reference.more_results')}</p>` : ''}`
  return html`<div class="reference">
!${searchForm(urls, words, text)}!${results}</div>`
}

const describeField = ({ title = '', description = '' }: JsonSchema): string => `${title} ${description}`
