// Numbered pages with links in the `Link` header field (RFC 8288) and a bare array as the body (LIM-PAG-p2).

import { JsonPage } from '../http/response.ts'
import { createNumberedPaginator, type NumberedPage, type PageNumberOptions } from './page-number.ts'
import type { Paginator } from './paginator.ts'

/** Creates a paginator like `pageNumber`, for clients that expect only the items in the body. */
export function linkHeader(options: PageNumberOptions = {}): Paginator<never> {
  return createNumberedPaginator('linkHeader', options, {
    members: null,
    write: page => ({
      body: new JsonPage(page.slice.items, undefined),
      headers: { link: formatLinks(page) },
    }),
  })
}

function formatLinks({ number, last, slice, link }: NumberedPage): string {
  const targets = [
    ['first', 1],
    ...(number > 1 ? [['prev', number - 1] as const] : []),
    ...(slice.hasNext ? [['next', number + 1] as const] : []),
    ...(last === undefined ? [] : [['last', last] as const]),
  ] as const
  return targets.map(([relation, page]) => `<${link(page)}>; rel="${relation}"`).join(', ')
}
