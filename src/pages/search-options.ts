// The options that the script of a control searches, related objects or choices: a GET of the page, or of the page of an action, with
// `_search`, the name of the field, or `filter:` and the name of the filter, and `_text`, the text.

import {
  type Field,
  type Fields,
  listAllowedForms,
  listChildFields,
  narrowListMetadata,
  type RenderContext,
  searchParameter,
  searchTextParameter,
  type View,
} from '#core'
import { optionsHtml } from './forms/combobox.ts'
import { isPicked } from './forms/picker-requests.ts'
import { searchOptions } from './forms/pickers.ts'
import { actionParameter } from './gateway/page-form.ts'
import { createWords } from './html/words.ts'
import { filterPrefix, findOptionField } from './list/filter-controls.ts'
import { groupFilters } from './list/filter-groups.ts'
import { listOfferedActions } from './object/offered-actions.ts'
import type { PageContext } from './page/page-context.ts'
import { pageQuery } from './page/page-url.ts'
import { hasRows } from './values/child-rows.ts'

/** Renders the options that match the text. Returns undefined if the request does not search. */
export async function renderFoundOptions(context: RenderContext<View>): Promise<string | undefined> {
  const { request, status } = context
  if (request.method !== 'GET' || status !== 200 || !request.url.includes(searchParameter)) return undefined
  const query = pageQuery(context)
  const name = query.get(searchParameter)
  if (name === null) return undefined
  const page = { ...context, words: createWords(context.view, request), frameContext: undefined }
  const field = await findField(name, query.get(actionParameter), page)
  const options = field && (await searchOptions(field, query.get(searchTextParameter) ?? '', page))
  return `<select>${optionsHtml({ options: options ?? [], selected: [] })}</select>`
}

async function findField(name: string, action: string | null, context: PageContext): Promise<Field | undefined> {
  const { view, requestContext } = context
  if (requestContext === undefined) return undefined
  if (name.startsWith(filterPrefix)) {
    const list = view.listMetadata && narrowListMetadata(view.listMetadata, requestContext)
    const group =
      list && groupFilters(list).find(({ parameters }) => parameters.includes(name.slice(filterPrefix.length)))
    return group && findOptionField(group, list)
  }
  const forms = await listAllowedForms(requestContext, view)
  const offered = action === null ? [] : await listOfferedActions(context, forms, undefined)
  const searched =
    action === null ? Object.values(forms) : offered.flatMap(each => (each.name === action ? each.form : []))
  return searched
    .map(({ fields }) => findChildField(name, fields))
    .find(field => field !== undefined && isPicked(field))
}

// The script names a field of children `lines.product`, one of their children `lines.notes.author`, and a field of an object `size.unit`.
function findChildField(name: string, fields: Fields): Field | undefined {
  const [child, ...parents] = name.split('.').reverse()
  let children: Fields | undefined = fields
  for (const [depth, parent] of parents.reverse().entries()) {
    const field: Field | undefined = children && Object.hasOwn(children, parent) ? children[parent] : undefined
    const parts: Fields | undefined = field?.readOnly ? undefined : field?.parts
    children = parts ?? (field && hasRows(field, depth) ? listChildFields(field) : undefined)
  }
  return children?.[child!]
}
