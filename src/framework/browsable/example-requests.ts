// The requests that a page gives examples of: its own reading, and whatever else this caller may do there.

import type { Form } from '../metadata.ts'
import { exampleBody, type FormsOf } from './forms.ts'
import type { PageContext } from './page-context.ts'
import { pageUrl } from './page-url.ts'
import type { ExampleRequest } from './request-examples.ts'

export function exampleRequests(
  context: PageContext,
  forms: Readonly<Record<string, Form>>,
  page: FormsOf,
): readonly ExampleRequest[] {
  const { view, requestContext } = context
  const origin = URL.parse(requestContext?.baseUrl ?? '')?.origin
  if (origin === undefined) return []
  const common = { url: origin + pageUrl(context), token: tokenOf(context) }
  return [
    ...(view.handlers.has('GET') ? [{ method: 'GET', ...common }] : []),
    ...Object.entries(forms).map(([method, form]) => {
      const body = method === 'DELETE' ? undefined : exampleBody(method, form, page)
      return { method, ...common, ...(body && Object.keys(body).length > 0 && { body }) }
    }),
  ]
}

function tokenOf({ view, requestContext }: PageContext): string | undefined {
  const scheme = view.authentication.find(({ name }) => name === 'token')
  return requestContext?.user.isAuthenticated ? scheme?.challenge : undefined
}
