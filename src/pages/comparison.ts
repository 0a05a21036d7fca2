// The page that compares objects of a list: `?_compare=1,2` at the URL of the list. Each object is what a GET of its own page shows to
// the caller.

import { html } from 'ghtml'
import { compareParameter, differencesParameter, formatJson } from '#core'
import { formatSelection } from './bulk/bulk-selection.ts'
import { formatHref } from './list/list-query.ts'
import { findListPath } from './page/find-list-path.ts'
import type { PageContext } from './page/page-context.ts'
import { formatHeading } from './page/page-title.ts'
import { pagePath, pageQuery } from './page/page-url.ts'
import { readObjectAt, type ShownObject } from './page/read-object-at.ts'
import { type Details, readDetails } from './values/object-section.ts'
import { isEmpty, valueHtml } from './values/value-html.ts'

type ListContext = Pick<PageContext, 'view' | 'request'>

const maxCompared = 5
/** Maximum length of a text, in UTF-16 units. */
const maxText = 2000

/** The URL of the page, with the filters of the list. `paths`: the paths of the objects. */
export function formatCompareUrl(paths: readonly string[], context: ListContext): string {
  const { view } = context
  const segments = formatSelection(paths, findListPath(context, view.listMetadata!)).split(' ')
  const keys = segments.map(segment => segment.slice(0, segment.length - view.urlEnd.length))
  return formatQuery(context, query => query.set(compareParameter, keys.join(',')))
}

function formatQuery(context: ListContext, change: (query: URLSearchParams) => void): string {
  const query = pageQuery(context)
  change(query)
  return formatHref(pagePath(context), query).replaceAll('%2C', ',')
}

/** Whether the URL of the page compares objects of its list. */
export const asksForComparison = (context: PageContext): boolean =>
  context.view.listMetadata !== undefined &&
  context.request.method === 'GET' &&
  context.status === 200 &&
  pageQuery(context).has(compareParameter)

/** The heading of the page. */
export const formatCompareHeading = ({ view, words }: PageContext): string =>
  `${words('page.compare')}: ${words.list(view.resource ?? view)}`

/** The link to the list. */
export function compareActions(context: PageContext): string {
  const { view, words } = context
  const href = formatQuery(context, query => {
    query.delete(compareParameter)
    query.delete(differencesParameter)
  })
  return html`<a class="button" href="${href}">${words('page.up', { name: words.list(view.resource ?? view) })}</a>`
}

/** The middle of the page. */
export async function comparison(context: PageContext): Promise<string> {
  const { view, words } = context
  const { isObjectSegment } = view.listMetadata!
  const listPath = findListPath(context, view.listMetadata!)
  const keys = [...new Set(pageQuery(context).get(compareParameter)!.split(','))].filter(key => key !== '')
  if (keys.length < 2 || keys.length > maxCompared) return problem(words('page.compare_count', { max: maxCompared }))
  const shown = await Promise.all(
    keys.map(key => {
      const segment = key + view.urlEnd
      return isObjectSegment(segment) ? readObjectAt(listPath + segment, context) : undefined
    }),
  )
  const missing = keys.filter((_, index) => shown[index] === undefined)
  if (missing.length > 0) return problem(words('page.compare_missing', { keys: missing.join(', ') }))
  const objects = shown.filter(object => object !== undefined)
  return comparedTable(
    objects,
    await Promise.all(objects.map(object => readDetails(object.context, object.body))),
    context,
  )
}

const problem = (text: string): string => html`<p class="notice errors" role="alert">${text}</p>
`

function comparedTable(objects: readonly ShownObject[], details: readonly Details[], context: PageContext): string {
  const { words } = context
  // The headings are the names.
  const names = new Set(details.flatMap(({ shown }) => shown))
  names.delete(objects[0]!.context.view.objectName ?? '')
  const rows = [...names].map(name => {
    const values = details.map(({ show }) => show(name))
    const texts = values.map(({ value }) => (isEmpty(value) ? '' : formatJson(value)))
    return { label: words.label(name, values[0]!.field ?? {}), values, differs: new Set(texts).size > 1 }
  })
  const different = rows.filter(({ differs }) => differs)
  const isShort = pageQuery(context).has(differencesParameter)
  const href = formatQuery(context, query => {
    if (isShort) query.delete(differencesParameter)
    else query.set(differencesParameter, '')
  })
  const headings = objects.map(object => {
    const name = formatHeading(object.context, object.body)
    return html`<th scope="col"><a href="${pagePath(object.context)}"><bdi>${name}</bdi></a></th>`
  })
  const mark = html` <span class="tag">${words('page.compare_differs')}</span>`
  const rowHtml = ({ label, values, differs }: (typeof rows)[number]) =>
    html`<tr!${differs ? ' class="differs"' : ''}><th scope="row">${label}!${differs ? mark : ''}</th>!${values.map(value => html`<td>!${valueHtml({ ...value, maxText })}</td>`)}</tr>
`
  return html`<p class="lead">${words('page.compare_differences', { count: different.length, total: rows.length })} <a href="${href}">${words(isShort ? 'page.compare_all' : 'page.compare_only')}</a></p>
<div class="table comparison" role="region" aria-label="${formatCompareHeading(context)}" tabindex="0">
<table>
<thead><tr><td></td>!${headings}</tr></thead>
<tbody>
!${(isShort ? different : rows).map(rowHtml)}</tbody>
</table>
</div>
`
}
