import { addSlash, fillParameters, type ListMetadata } from '#core'
import type { PageContext } from './page-context.ts'
import { pagePath } from './page-url.ts'

/**
 * The path below which the objects of a list have their pages. A further list names the same parents as the list of its
 * resource.
 */
export function findListPath(context: Pick<PageContext, 'view' | 'request'>, { path }: ListMetadata): string {
  const { view, request } = context
  if (path === view.path) return addSlash(pagePath(context))
  return view.root + fillParameters(path, request.params as Record<string, string>)
}
