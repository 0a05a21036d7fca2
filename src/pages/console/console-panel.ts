// The panel of a page: a section per method that this caller may call, with the request as code, and the fields and errors of the
// page's view. Without a script, the sections are `<details>`, of which one is open; the stylesheet shows them as tabs.

import { html } from 'ghtml'
import type { Form } from '#core'
import { createExampleBody, type FormContext } from '../forms/forms.ts'
import { findNewHeading } from '../forms/new-page.ts'
import { requestEditor } from '../forms/request-editor.ts'
import { codeTabs } from '../html/code-tabs.ts'
import { escapeContent } from '../html/escape-content.ts'
import { formatLinks } from '../object/page-actions.ts'
import type { PageContext } from '../page/page-context.ts'
import { pagePath } from '../page/page-url.ts'
import {
  type ConsoleCode,
  createConsoleCode,
  createConsoleRequest,
  createFormCode,
  findRequestUrl,
} from './console-request.ts'
import { declaredSections } from './declared-sections.ts'

type Forms = Readonly<Record<string, Form>>

/** `response`: the response of the page; empty if the middle shows it. */
export function consolePanel(
  context: PageContext,
  forms: Forms,
  { formContext, response }: { readonly formContext: FormContext; readonly response: string },
): string {
  const { view, words, request } = context
  const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', ...Object.keys(forms)].filter(method =>
    method === 'GET' ? view.handlers.has('GET') : forms[method] !== undefined && !isSameAsPatch(method, forms),
  )
  const opened = findOpened(context, methods, forms)
  const sections = [...new Set(methods)].map(method => ({
    method,
    startHtml: html`<details name="console" data-console="${method}" !${method === opened ? 'open' : ''}><summary><b class="method ${method.toLowerCase()}">${method}</b></summary>
`,
    endHtml: html`!${method === 'GET' ? formatLinks(context) : ''}!${methodHtml(context, method, forms, formContext)}</details>
`,
  }))
  const shown = sections.findIndex(({ method }) => method === request.method)
  const parts = sections.flatMap(({ startHtml, endHtml }) => [startHtml, endHtml])
  const place = 2 * Math.max(shown, 0) + 1
  return html`<div class="console" data-waiting="${words('page.waiting')}" data-unreachable="${words('page.unreachable')}" data-reload="${words('page.reload')}" data-headers="${words('page.headers')}">
!${parts.slice(0, place)}!${response}!${parts.slice(place)}!${declaredSections(context)}</div>
<section class="sent" data-sent hidden><h2>${words('page.sent')}</h2><ol></ol></section>
`
}

const isSameAsPatch = (method: string, { PUT, PATCH }: Forms): boolean =>
  method === 'PUT' && PUT?.isPartial === true && PATCH !== undefined

// The request that the page made or asks for.
function findOpened(context: PageContext, methods: readonly string[], forms: Forms): string | undefined {
  const { method } = context.request
  if (methods.includes(method) && method !== 'GET') return method
  if (findNewHeading(context, forms) !== undefined) return 'POST'
  return methods[0]
}

function methodHtml(context: PageContext, method: string, forms: Forms, formContext: FormContext): string {
  const form = forms[method]
  const { words } = context
  const hasBody = method !== 'DELETE' || context.view.descriptions.DELETE?.hasBody
  const body = form && hasBody ? createExampleBody(method, form, formContext) : undefined
  const ifMatch = form?.requiresIfMatch ? formContext.etag?.() : undefined
  const request = createConsoleRequest(context, { method, body, ifMatch })
  const url = findRequestUrl(context)
  const line = html`<p class="request"><code><b class="method ${method.toLowerCase()}">${method}</b> ${url}</code></p>
`
  const sender =
    form === undefined
      ? getForm('GET', url, words('page.send_again')) + getForm('OPTIONS', pagePath(context), 'OPTIONS')
      : createEditor(method, form)
  const takesFiles = Object.values(form?.fields ?? {}).some(({ file, readOnly }) => file !== undefined && !readOnly)
  const code = request && requestCode(method, createConsoleCode(request), takesFiles ? createFormCode(request) : [])
  return html`!${method === 'GET' ? '' : line}!${sender}!${code ?? ''}`

  // The middle has the editor of a method that takes any body. A deletion is confirmed on its own page.
  function createEditor(name: string, declared: Form): string {
    if (name === 'DELETE' || declared.takesAny) return ''
    return requestEditor(name, declared, { body, url, formContext, patch: forms.PATCH })
  }

  function requestCode(name: string, codes: readonly ConsoleCode[], parts: ReturnType<typeof createFormCode>): string {
    const tabs = codes.map((code, index) => ({ name: code.name, codeHtml: withForm(codeHtml(code), parts[index]) }))
    return codeTabs(tabs, {
      id: name.toLowerCase(),
      label: words('page.code', { name }),
      labelOf: language => `${language} ${name}`,
      copyText: language => words('page.copy_code', { name: language }),
      copiedText: words('page.copied'),
    })
  }
}

const getForm = (method: string, url: string, text: string): string =>
  html`<form class="editor" action="${url}" data-editor="${method}" data-needs-script hidden><p class="send"><button>${text}</button></p></form>
`

// The script shows it instead, with the parts of the form, once a file is chosen.
const withForm = (jsonHtml: string, around: readonly [before: string, after: string] | undefined): string =>
  around === undefined
    ? jsonHtml
    : html`<span>!${jsonHtml}</span><span data-form hidden>${around[0]}<span></span>${around[1]}</span>`

// The script replaces the body.
function codeHtml({ code, around }: ConsoleCode): string {
  if (around === undefined) return escapeContent(code)
  const [before, after] = around
  const body = code.slice(before.length, code.length - after.length)
  return html`<span>!${escapeContent(before)}<span data-body>!${escapeContent(body)}</span>!${escapeContent(after)}`
}
