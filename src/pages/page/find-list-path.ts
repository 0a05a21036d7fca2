import type { ListMetadata } from '../../core/view/metadata.ts'
import { fillParameters } from '../../core/http/urls/path-parameters.ts'
import { addSlash } from '../../core/http/urls/trailing-slash.ts'
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
