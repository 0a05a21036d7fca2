// The requests for which a page shows examples: GET, and the other methods that this caller may call.

import type { Form } from '../metadata.ts'
import type { ExampleRequest } from './curl-and-fetch.ts'
import { createExampleBody, type FormContext } from './forms.ts'
import type { PageContext } from './page-context.ts'
import { pageUrl } from './page-url.ts'

export function listAllowedRequests(
  context: PageContext,
  forms: Readonly<Record<string, Form>>,
  formContext: FormContext,
): readonly ExampleRequest[] {
  const { view, requestContext } = context
  const origin = URL.parse(requestContext?.baseUrl ?? '')?.origin
  if (origin === undefined) return []
  const common = { url: origin + pageUrl(context), tokenKeyword: findTokenKeyword(context) }
  return [
    ...(view.handlers.has('GET') ? [{ method: 'GET', ...common }] : []),
    ...Object.entries(forms).map(([method, form]) => {
      const body = method === 'DELETE' ? undefined : createExampleBody(method, form, formContext)
      const ifMatch = form.requiresIfMatch ? formContext.etag?.() : undefined
      return { method, ...common, ifMatch, ...(body && Object.keys(body).length > 0 && { body }) }
    }),
  ]
}

function findTokenKeyword({ view, requestContext }: PageContext): string | undefined {
  const scheme = view.authentication.find(({ name }) => name === 'token')
  return requestContext?.user.isAuthenticated ? scheme?.challenge : undefined
}
