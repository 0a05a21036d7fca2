// The browsable interface (SVC-7): every URL of an API as a page, for clients that prefer HTML. A renderer like any other:
// it shows the answer that everybody gets, and around it only what this caller may do.

import { STATUS_CODES } from 'node:http'
import { html } from 'ghtml'
import { type Content, Document, JsonStream, JsonText, parseExactly } from '../answer.ts'
import type { Csrf } from '../authentication/csrf.ts'
import { ValidationError } from '../errors/exceptions.ts'
import { allowedForms, type Form } from '../metadata.ts'
import type { Exchange, Renderer } from '../renderers/renderer.ts'
import { assetUrls, browsableAssets } from './assets.ts'
import { type FormsOf, methodForm } from './forms.ts'
import { jsonView } from './json-view.ts'
import { type Account, type BrowsablePage, type Frame, layout, type PageLink, pageFields } from './page.ts'
import { pageControls, pageLinks } from './pages-of-list.ts'
import { curlLine, fetchLine } from './request-examples.ts'

export interface BrowsableOptions {
  /** The name of the site; default `Resource API`. */
  readonly title?: string
  /** The URL of a picture before the title. */
  readonly logo?: string
  /** Links of the header. */
  readonly links?: readonly PageLink[]
  /** Where one logs in and out, as paths from the root of the server. */
  readonly login?: { readonly loginPath: string; readonly logoutPath: string; readonly csrf: Csrf }
  /** Makes the document of a page, instead of the packaged layout. */
  readonly layout?: (page: BrowsablePage) => string
  /** What stands in the middle of the pages of a view, by the view's name, instead of what is packaged. */
  readonly pages?: Readonly<Record<string, (shown: Shown) => string | Promise<string>>>
}

/** What a page shows of an answer. */
export interface Shown {
  readonly exchange: Exchange
  /** The body as data; undefined where there is none. */
  readonly body: unknown
  /** The packaged middle of the page, as HTML. */
  packaged(): Promise<string>
}

/** How many items of a list without pages a page shows. */
const mostItems = 50

/** The renderer of pages; `?format=api` asks for it. */
export function browsable(options: BrowsableOptions = {}): Renderer {
  return Object.freeze<Renderer>({
    mediaType: 'text/html',
    format: 'api',
    contentType: 'text/html; charset=utf-8',
    headers: pageFields,
    assets: browsableAssets,
    takes: content => !(content instanceof Document),
    render: (content, _parameters, exchange) => renderPage(content, exchange, options),
  })
}

async function renderPage(content: Content, exchange: Exchange, options: BrowsableOptions): Promise<string> {
  const { json, isCut } = await jsonOf(content)
  const body = JSON.parse(json)
  const account = accountOf(exchange, options)
  const packaged = () => mainHtml({ exchange, body, json, isCut, token: account?.token })
  const own = options.pages?.[exchange.view.name]
  const main = own ? await own({ exchange, body, packaged }) : await packaged()
  return documentOf(options, {
    title: exchange.view.name,
    breadcrumbs: breadcrumbsOf(exchange),
    account,
    mainHtml: main,
    ...assetUrls(exchange.view.root),
  })
}

/** Documents of pages that are not an answer's, in the same layout. */
export const frameOf =
  (options: BrowsableOptions): Frame =>
  ({ view }, title, mainHtml) =>
    documentOf(options, {
      title,
      breadcrumbs: [{ text: 'Api Root', href: `${view.root}/` }],
      account: undefined,
      mainHtml,
      ...assetUrls(view.root),
    })

type PageParts = Omit<BrowsablePage, 'site' | 'logo' | 'links'>

function documentOf(
  { title = 'Resource API', logo, links = [], layout: own = layout }: BrowsableOptions,
  parts: PageParts,
) {
  return own({ site: title, logo, links, ...parts })
}

interface Json {
  readonly json: string
  /** Is there more than this? */
  readonly isCut: boolean
}

async function jsonOf(content: Content): Promise<Json> {
  if (content instanceof JsonText) return { json: content.text, isCut: false }
  if (!(content instanceof JsonStream)) return { json: JSON.stringify(content), isCut: false }
  const items: string[] = []
  for await (const portion of content.portions) {
    items.push(...portion)
    if (items.length > mostItems) break
  }
  return { json: `[${items.slice(0, mostItems).join(',')}]`, isCut: items.length > mostItems }
}

function accountOf({ notes, request }: Exchange, { login }: BrowsableOptions): Account | undefined {
  const { context } = notes
  if (login === undefined || context === undefined) return undefined
  const { user } = context
  return {
    username: user.isAuthenticated ? user.username : undefined,
    loginUrl: login.loginPath,
    logoutUrl: login.logoutPath,
    token: login.csrf.issue(context),
    here: request.url,
  }
}

interface Main extends Json {
  readonly exchange: Exchange
  readonly body: unknown
  readonly token: string | undefined
}

async function mainHtml(main: Main): Promise<string> {
  const { exchange, body, isCut } = main
  const { view, headers } = exchange
  const forms = exchange.notes.context ? await allowedForms(exchange.notes.context) : {}
  const links = pageLinks(body, headers)
  const pages = links ? pageControls(links) : ''
  return html`<h1>${view.name}</h1>
!${view.description === '' ? '' : html`<p class="description">${view.description}</p>`}!${toolbar(exchange, forms)}
!${pages}!${answerHtml(main)}!${isCut ? html`<p class="cut">Only the first ${mostItems} items are shown here.</p>` : ''}!${pages}
!${examplesHtml(exchange)}!${formsHtml(main, forms)}`
}

// What can be done here, beside the forms.
function toolbar({ view, request, notes }: Exchange, forms: Readonly<Record<string, Form>>): string {
  const url = new URL(request.url, 'http://localhost')
  const path = (format: string) => {
    const query = new URLSearchParams(url.search)
    query.set(view.formatParam ?? 'format', format)
    return `${url.pathname}?${query}`
  }
  const formats = view.formatParam === null ? [] : view.renderers.filter(({ format }) => format !== 'api')
  const isKnown = notes.context !== undefined
  return html`<div class="toolbar" role="group" aria-label="Actions">
<a role="button" href="${request.url}">GET</a>
!${formats.map(({ format }) => html`<a role="button" href="${path(format)}">${format}</a>`)}!${isKnown ? html`<button type="button" data-options="${url.pathname}" data-script hidden>OPTIONS</button>` : ''}!${view.below.map(name => html`<a role="button" href="${`${url.pathname}${name}/`}">${name}</a>`)}!${forms.DELETE ? deleteHtml(url.pathname) : ''}</div>
`
}

const deleteHtml = (
  path: string,
): string => html`<button type="button" class="danger" data-open="delete" data-script hidden>DELETE</button>
<dialog id="delete" aria-labelledby="delete-title">
<h2 id="delete-title">Delete this?</h2>
<p>It cannot be brought back.</p>
<form method="dialog"><ul class="errors" data-errors hidden></ul><button value="no">Keep it</button> <button type="button" class="danger" data-delete="${path}">Delete it</button></form>
</dialog>
`

function answerHtml({ exchange, json }: Main): string {
  const { request, status, headers } = exchange
  const fields = Object.entries(headers).filter(([name]) => shownFields.has(name))
  const lines = fields.map(
    ([name, value]) => `\n${html`<span class="name">${titleCase(name)}</span>: ${[value].flat().join(', ')}`}`,
  )
  return html`<section class="answer" aria-label="Answer">
<p class="request"><code>${request.method} ${request.url}</code></p>
<pre class="head" tabindex="0"><b>HTTP ${status} ${STATUS_CODES[status] ?? ''}</b>!${lines}</pre>
<pre class="body" tabindex="0">!${jsonView(parseExactly(json))}</pre>
</section>
`
}

// Those that say something of the answer, not of the page around it.
const shownFields = new Set([
  'allow',
  'link',
  'location',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'vary',
  'www-authenticate',
])

const titleCase = (name: string): string => name.replace(/(?:^|-)[a-z]/g, letter => letter.toUpperCase())

function examplesHtml({ request, notes }: Exchange): string {
  const origin = URL.parse(notes.context?.baseUrl ?? '')?.origin
  if (origin === undefined) return ''
  const url = origin + request.url
  const example = (name: string, line: string) =>
    html`<div class="copied"><pre tabindex="0"><code>${line}</code></pre><button type="button" data-copy data-script hidden>Copy ${name}</button></div>`
  return html`<details class="examples"><summary>This request as curl and fetch</summary>
!${example('curl', curlLine(request.method, url))}!${example('fetch', fetchLine(request.method, url))}</details>
`
}

function formsHtml({ exchange, body, token }: Main, forms: Readonly<Record<string, Form>>): string {
  const { request, notes, view, error } = exchange
  const input = notes.input
  const page: FormsOf = {
    here: request.url,
    token,
    mediaTypes: view.parsers.map(({ mediaType }) => mediaType),
    object: Object(body),
    refused: error instanceof ValidationError && input !== undefined ? { input, errors: errorsOf(error) } : undefined,
    listUrl: resource => `${view.root}/${resource}/`,
  }
  const shown = ['POST', 'PUT'].filter(method => forms[method] !== undefined)
  return shown.map(method => methodForm(method, forms[method]!, page)).join('')
}

// Errors that belong to no field stand under the empty name.
function errorsOf({ detail }: ValidationError): Readonly<Record<string, unknown>> {
  return Array.isArray(detail) || typeof detail !== 'object' ? { '': detail } : { ...detail }
}

/** From the root of the API to this page: each part of the path has a page of its own. */
function breadcrumbsOf({ request, view }: Exchange): readonly PageLink[] {
  const path = request.url.split('?', 1)[0]!
  const parts = path.slice(view.root.length).split('/').filter(Boolean)
  const root = { text: 'Api Root', href: `${view.root}/` }
  return [
    root,
    ...parts.map((part, index) => ({
      text: decodeURIComponent(part),
      href: `${view.root}/${parts.slice(0, index + 1).join('/')}/`,
    })),
  ]
}
