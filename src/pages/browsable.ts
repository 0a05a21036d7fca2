// The browsable API (SVC-7): a renderer that shows every URL of an API as an HTML page to clients that prefer HTML. A
// page shows the same response body as the JSON, with forms and buttons for the methods that this caller may call.

import { html } from 'ghtml'
import {
  Document,
  type HeaderFields,
  joinLayers,
  type RenderContext,
  type Renderer,
  type RequestContext,
  type View,
} from '#core'
import { downloadFormats, renderDownload } from './download/download.ts'
import { pageHeaders } from './frame/layout.ts'
import { readLoginState } from './frame/login-state.ts'
import { renderFrame } from './frame/render-frame.ts'
import { gateway } from './gateway.ts'
import { createWords, describeLanguage, type Words } from './html/words.ts'
import { formatPasskeyScript, listAssets } from './page/assets.ts'
import type { BrowsableOptions } from './page/browsable-options.ts'
import { findFrameContext } from './page/frame-caller.ts'
import { PageBody } from './page/page-body.ts'
import { documentPages } from './reference/document-pages.ts'
import { renderPage } from './render-page.ts'
import { renderPageBody } from './render-page-body.ts'

/** Creates the renderer of pages, for `Accept: text/html` and `?format=api`. */
export function browsable(options: BrowsableOptions = {}): Renderer<View> {
  return Object.freeze<Renderer<View>>({
    mediaType: 'text/html',
    format: 'api',
    furtherFormats: downloadFormats,
    contentType: 'text/html; charset=utf-8',
    headers: pageHeaders,
    compresses: true,
    assets: listAssets(options),
    documentPages,
    canRender: body => !(body instanceof Document),
    async render(body, _parameters, rendered) {
      const context = rendered.request.method === 'HEAD' ? toGet(rendered) : rendered
      const download = await renderDownload(body, context, options)
      if (download !== undefined) return download
      return body instanceof PageBody ? renderPageBody(body, context, options) : renderPage(body, context, options)
    },
    gateway,
  })
}

// The status and the header fields of HEAD are those of GET (RFC 9110 §9.3.2), such as the length of the page.
function toGet(context: RenderContext<View>): RenderContext<View> {
  const request: RenderContext<View>['request'] = Object.create(context.request, { method: { value: 'GET' } })
  const { requestContext } = context
  return { ...context, request, requestContext: requestContext && { ...requestContext, request, method: 'GET' } }
}

/** A page that does not show an API response, such as the login form. */
export interface FramedPage {
  readonly heading: string
  /** Shown in the title of the document before the heading, such as `Error`; default none. */
  readonly notice?: string
  readonly mainHtml: string
  /** Whether the page has a form for a passkey, which needs a script of its own. Default: no. */
  readonly hasPasskey?: boolean
}

/** Renders such a page in the layout. */
export type PageFrame = (
  context: RequestContext,
  create: (words: Words) => FramedPage,
) => Promise<{ readonly body: Document; readonly headers: HeaderFields }>

/** Creates the function that renders pages without an API response in the same layout. */
export function createPageFrame(options: BrowsableOptions): PageFrame {
  return async (requestContext, create) => {
    const { request } = requestContext
    // The context of a request has the whole view.
    const view = requestContext.view as View
    const words = createWords(view, request)
    const phases = { view, request, requestContext, requestBody: undefined, headers: [view.headers], error: undefined }
    const context = { ...phases, status: 200, words, frameContext: await findFrameContext(phases) }
    const { heading, notice, mainHtml: content, hasPasskey = false } = create(words)
    const scriptHtml = hasPasskey ? html`<script src="${formatPasskeyScript(view.root)}" defer></script>` : ''
    const mainHtml = content + scriptHtml
    const { account: caller } = readLoginState(context, options.login)
    // The page itself may be the login.
    const account = caller?.username === undefined ? undefined : caller
    const parts = { title: notice === undefined ? heading : `${notice}: ${heading}`, heading, mainHtml, account }
    const text = await renderFrame(context, parts, options)
    return { body: new Document(text), headers: describeLanguage(words, joinLayers(context.headers)) }
  }
}
