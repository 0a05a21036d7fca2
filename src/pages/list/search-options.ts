// The options that the script of a control searches, related objects or choices: a GET of the page with `?_search=` and the name of the field, or `filter:`
// and the name of the filter, and `_text`, the text.

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
import { optionsHtml } from '../forms/combobox.ts'
import { isPicked } from '../forms/picker-requests.ts'
import { searchOptions } from '../forms/pickers.ts'
import { createWords } from '../html/words.ts'
import { pageQuery } from '../page/page-url.ts'
import { hasRows } from '../values/child-rows.ts'
import { filterPrefix, findOptionField } from './filter-controls.ts'
import { groupFilters } from './filter-groups.ts'

/** Renders the options that match the text. Returns undefined if the request does not search. */
export async function renderFoundOptions(context: RenderContext<View>): Promise<string | undefined> {
  const { request, status } = context
  if (request.method !== 'GET' || status !== 200 || !request.url.includes(searchParameter)) return undefined
  const query = pageQuery(context)
  const name = query.get(searchParameter)
  if (name === null) return undefined
  const field = await findField(name, context)
  const words = createWords(context.view, request)
  const options = field && (await searchOptions(field, query.get(searchTextParameter) ?? '', { ...context, words }))
  return `<select>${optionsHtml({ options: options ?? [], selected: [] })}</select>`
}

async function findField(name: string, { view, requestContext }: RenderContext<View>): Promise<Field | undefined> {
  if (requestContext === undefined) return undefined
  if (name.startsWith(filterPrefix)) {
    const list = view.listMetadata && narrowListMetadata(view.listMetadata, requestContext)
    const group =
      list && groupFilters(list).find(({ parameters }) => parameters.includes(name.slice(filterPrefix.length)))
    return group && findOptionField(group, list)
  }
  const forms = await listAllowedForms(requestContext, view)
  return Object.values(forms)
    .map(({ fields }) => findChildField(name, fields))
    .find(field => field !== undefined && isPicked(field))
}

// The script names a field of children `lines.product`, and one of their children `lines.notes.author`.
function findChildField(name: string, fields: Fields): Field | undefined {
  const [child, ...parents] = name.split('.').reverse()
  let found: Fields | undefined = fields
  for (const [depth, parent] of parents.reverse().entries()) {
    const field: Field | undefined = found && Object.hasOwn(found, parent) ? found[parent] : undefined
    found = field && hasRows(field, depth) ? listChildFields(field) : undefined
  }
  return found?.[child!]
}
