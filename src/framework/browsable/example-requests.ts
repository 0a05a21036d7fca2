// The requests that a page gives examples of: its own reading, and whatever else this caller may do there.

import type { Form } from '../metadata.ts'
import type { RenderContext } from '../renderers/renderer.ts'
import { exampleBody, type FormsOf } from './forms.ts'
import { pageUrl } from './page-url.ts'
import type { ExampleRequest } from './request-examples.ts'

export function exampleRequests(
  exchange: RenderContext,
  forms: Readonly<Record<string, Form>>,
  page: FormsOf,
): readonly ExampleRequest[] {
  const { view, notes } = exchange
  const origin = URL.parse(notes.context?.baseUrl ?? '')?.origin
  if (origin === undefined) return []
  const common = { url: origin + pageUrl(exchange), token: tokenOf(exchange) }
  return [
    ...(view.handlers.has('GET') ? [{ method: 'GET', ...common }] : []),
    ...Object.entries(forms).map(([method, form]) => {
      const body = method === 'DELETE' ? undefined : exampleBody(method, form, page)
      return { method, ...common, ...(body && Object.keys(body).length > 0 && { body }) }
    }),
  ]
}

function tokenOf({ view, notes }: RenderContext): string | undefined {
  const scheme = view.authentication.find(({ name }) => name === 'token')
  return notes.context?.user.isAuthenticated ? scheme?.challenge : undefined
}
