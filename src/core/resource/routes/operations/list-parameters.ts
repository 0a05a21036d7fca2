// The query parameters of a list: search, filters, ordering, page and selection.

import { describeMembers, type JsonSchema } from '../../../describe/json-schema.ts'
import type { Parameter } from '../../../describe/openapi-types.ts'
import type { Field, Fields } from '../../../fields/field.ts'
import { isMet } from '../../../fields/field-visibility.ts'
import { listOnWire } from '../../../fields/wire-names.ts'
import { documentMessages } from '../../../messages/document-messages.ts'
import type { MessageText } from '../../../messages/english.ts'
import type { ParameterDescription } from '../../../pagination/paginator.ts'
import type { DescriptionContext } from '../../../view/describe/described-operation.ts'
import { errorTexts } from '../../../view/describe/error-schema.ts'
import { describeTaken } from '../../../view/describe/field-schema.ts'
import { createListParameter, createParameter, describeParameter } from '../../../view/describe/query-parameters.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { Filter } from '../../query/filters/filter.ts'
import { defaultMaxValues } from '../../query/filters/list-filters.ts'
import { inputKinds, isTextLookup } from '../../query/filters/lookups.ts'
import { findMaxLength, maxTextLength } from '../../query/filters/read-values.ts'
import {
  listSelectionParameters,
  listSets,
  type SelectableAction,
  selectsInWrites,
} from '../../query/selection/resource-selection.ts'

/** Describes the parameters of a list. */
export function listParameters(bound: BoundResource, context: DescriptionContext): readonly Parameter[] {
  const { filters, search, ordering, paginator, resource, parameterNames } = bound
  const isShown = ({ input: { visible } }: Filter) =>
    visible === undefined || context.caller === undefined || isMet(visible, context.caller)
  const maxValues = resource.filterLimits?.values ?? defaultMaxValues
  return [
    ...describeSearch(parameterNames.search, context.listFields(search.fields)),
    ...filters.all.filter(isShown).map(filter => describeFilter(filter, maxValues, context)),
    ...describeOrdering(parameterNames.ordering, Object.keys(context.listFields(ordering.fields))),
    ...Object.entries(paginator?.parameters ?? {}).map(([name, value]) => describePageParameter(name, value)),
    ...describeSelection(bound, 'list', context),
  ]
}

function describeSearch(parameter: string, fields: Fields): readonly Parameter[] {
  const names = Object.keys(fields)
  if (names.length === 0) return []
  const description = documentMessages('document.search', { names: names.join(', ') })
  return [createParameter(parameter, { type: 'string', maxLength: maxTextLength }, { description })]
}

function describeFilter(filter: Filter, maxValues: number, context: DescriptionContext): Parameter {
  const { parameter, lookup, input } = filter
  const description = describeInput(input)
  if (lookup === undefined && input.kind.hasItems) {
    const text = documentMessages('document.comma_values', { text: description })
    const { items = {}, ...sizes } = describeValue(input, context)
    const list = createListParameter(parameter, items as JsonSchema, text)
    return { ...list, schema: { ...list.schema, ...sizes } }
  }
  if (lookup === undefined) return createParameter(parameter, describeParameter(input, context), { description })
  const { positive, compared } = lookup
  const { field } = compared
  if (positive === 'in' || positive === 'range') {
    const list = createListParameter(
      parameter,
      describeValue(field, context),
      documentMessages('document.comma_values', { text: description }),
    )
    const size = positive === 'in' ? { maxItems: maxValues } : { minItems: 2, maxItems: 2 }
    return { ...list, schema: { ...list.schema, ...size } }
  }
  const fixed = inputKinds[positive]
  const schema = fixed
    ? { ...fixed.schema, ...(positive === 'year' && { minimum: 1, maximum: 9999 }) }
    : isTextLookup(positive)
      ? { type: 'string', maxLength: findMaxLength(positive) }
      : describeValue(field.child ?? field, context)
  return createParameter(parameter, schema, { description })
}

const describeInput = ({ label = '', help }: Field): MessageText =>
  help === undefined ? label : label === '' ? help : documentMessages('document.label_and_help', { label, help })

// The texts and flags of the field in a body do not describe the parameter.
function describeValue(field: Field, context: DescriptionContext): JsonSchema {
  const {
    title,
    description,
    default: _default,
    writeOnly,
    readOnly,
    'x-unique': _unique,
    ...schema
  } = describeTaken({ ...field, nullable: false }, context)
  return schema
}

function describeOrdering(parameter: string, names: readonly string[]): readonly Parameter[] {
  if (names.length === 0) return []
  const values = names.flatMap(name => [name, `-${name}`])
  return [createListParameter(parameter, { type: 'string', enum: values }, documentMessages('document.ordering'))]
}

const describePageParameter = (name: string, { type, min_value, max_value }: ParameterDescription): Parameter =>
  createParameter(name, {
    type,
    ...(min_value !== undefined && { minimum: min_value }),
    ...(max_value !== undefined && { maximum: max_value }),
  })

/** Describes the parameters that select fields and relations of the response. `isRead`: also those of sets. */
export function describeSelection(
  { resource, selection, parameterNames }: BoundResource,
  action: SelectableAction,
  context: DescriptionContext,
  isRead = action === 'list' || action === 'retrieve',
): readonly Parameter[] {
  if (!isRead && !selectsInWrites(resource)) return []
  const names = selection?.listExpandable(action, context.caller) ?? []
  const seen = listOnWire(context.listFields(resource.fields))
  const sets = [...(isRead ? listSets(resource) : [])].map(([parameter, fields]) => {
    const shown = fields.filter(name => Object.hasOwn(seen, name)).join(', ')
    const description = documentMessages('document.field_set', { names: shown })
    return createParameter(parameter, { type: 'boolean' }, { description })
  })
  const parameters = listSelectionParameters(resource).flatMap(parameter => {
    const name = parameterNames[parameter]
    if (parameter !== 'expand') return [createListParameter(name, { type: 'string' }, selectionTexts[parameter])]
    const text = documentMessages('document.expand')
    if (names.length === 0) return []
    const isOpen = resource.unknownNames === 'ignore'
    return [createListParameter(name, { type: 'string', ...(!isOpen && { enum: names }) }, text)]
  })
  return [...parameters, ...sets]
}

const selectionTexts = {
  fields: documentMessages('document.fields'),
  omit: documentMessages('document.omit'),
}

/** The errors of the names that a write selects. */
export const describeSelectionErrors = (selection: readonly Parameter[]): readonly JsonSchema[] =>
  selection.length === 0 ? [] : [describeQueryErrors(selection)]

/** The errors of a query, by parameter. */
export function describeQueryErrors(parameters: readonly Parameter[]): JsonSchema {
  const inQuery = parameters.filter(parameter => parameter.in === 'query')
  return describeMembers(Object.fromEntries(inQuery.map(({ name }) => [name, errorTexts])), [])
}
