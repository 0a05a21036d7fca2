// Describes the request fields and the lists of a view, for `OPTIONS` and for the browsable API.

import type { MaybePromise } from '../base/maybe-promise.ts'
import type { JsonSchema } from '../describe/json-schema.ts'
import type { Field, Fields } from '../fields/field.ts'
import type { FieldGroup } from '../fields/field-groups.ts'
import { listVisibleFields } from '../fields/field-visibility.ts'
import { formatLabel } from '../fields/format-label.ts'
import type { HandlerContext, RequestContext } from '../http/context.ts'
import type { Caller } from '../http/identity.ts'
import type { FileLimits } from '../http/parsers/parser.ts'
import type { ApiResponse } from '../http/response.ts'
import type { ParameterNames } from '../http/urls/parameter-names.ts'
import { type MessageText, readEnglish } from '../messages/english.ts'
import type { PageNumber, ParameterDescription, Total } from '../pagination/paginator.ts'
import type { PermissionObject } from '../policy/permissions/permission.ts'
import type { DeletionCounts } from './deletion-counts.ts'
import type { DescriptionContext } from './describe/described-operation.ts'
import type { WriteImported, WriteSelected } from './list-writes.ts'

/** The fields that a method of a view accepts. */
export interface Form {
  readonly fields: Fields
  /** The groups of fields on the browsable pages; default: none. */
  readonly groups?: readonly FieldGroup[]
  /** True: the method also takes a body that fields do not describe. */
  readonly takesAny?: boolean
  /** The list that is the whole body, which no form contains. */
  readonly list?: Field
  /** The heading of the form on the browsable pages; default: `Send`. */
  readonly heading?: string
  /**
   * Reads the columns of the object that its permissions need; returns undefined if they need not be checked. Throws
   * NotFound if no object exists at the URL. Omitted if the method does not act on an object.
   */
  readonly findPermissionObject?: (context: RequestContext) => Promise<PermissionObject | undefined>
  /** Whether fields that a PUT does not contain stay unchanged. */
  readonly isPartial?: boolean
  /** Whether the request needs the header `If-Match`. */
  readonly requiresIfMatch?: boolean
  /** The query parameters with which a GET of the URL does not show the object that the form changes. */
  readonly selectionParameters?: readonly string[]
}

/** The query and the response that a method of a view declares. */
export interface MethodDescription {
  /** The parameters of the query. */
  readonly query?: Fields
  /** Whether it declares a body. */
  readonly hasBody?: boolean
  /** The limits of the files in the body; undefined if it contains none. */
  readonly files?: FileLimits
  readonly response?: Field
  /** The status of the response; default 200. */
  readonly status?: number
  /** Describes the response, instead of `response`, in the OpenAPI document. */
  readonly describeResponse?: (context: DescriptionContext) => JsonSchema
  /** The bodies of errors that the handler returns itself, by status; `document`: finished HTML. */
  readonly errors?: Readonly<Record<string, Field | 'document'>>
  /** The parameters of the path. */
  readonly parameters?: Fields
}

/** Describes a list: its fields, and its search, filter and ordering options. */
export interface ListMetadata {
  /** The pattern of the path below which its objects are, relative to the API: `/books/`. */
  readonly path: string
  /** The rest of the pattern of an object's path: `:key/`. */
  readonly objectPattern: string
  readonly fields: Fields
  /** The field whose value is the title of an object, such as `title`; undefined for none. */
  readonly objectName: string | undefined
  /** The name of one object of the resource on pages, such as `Book`. */
  readonly title: MessageText
  /** The fields that are the columns of pages, without the name of the object; undefined for the default. */
  readonly columns: readonly string[] | undefined
  /** The fields with the values that the path of an object contains, such as `id`; none if no field has it. */
  readonly nameFields: readonly string[]
  /** Whether this text, such as `3/`, is the part of an object's path below the list. */
  isObjectSegment(text: string): boolean
  /** The names of the parameters that search, order and choose what is shown. */
  readonly parameterNames: Required<ParameterNames>
  /** The fields that a search searches. */
  readonly searchFields: Fields
  /** The values of filters, by parameter. */
  readonly filters: Fields
  /** What each filter compares, by parameter; filters with their own condition have no lookup. */
  readonly lookups: Readonly<Record<string, FilterLookup>>
  /** The descriptions of all filters for `OPTIONS`, by parameter. */
  readonly filterDescriptions: Readonly<Record<string, object>>
  /** The most groups of filters that are joined with `or` in one query. */
  readonly filterGroups: number
  readonly orderingFields: Fields
  /** The field that orders the list unless the query does, with `-` for descending; undefined if responses do not show it. */
  readonly defaultOrdering: string | undefined
  /** Whether a parameter that the form of a list does not contain narrows the list, or chooses what it shows. */
  readonly changesList: (parameter: string) => boolean
  /** The parameters of the paginator. */
  readonly pageParameters: Readonly<Record<string, ParameterDescription>>
  /** The header fields that select the page, in lower case. */
  readonly pageHeaders: readonly string[]
  /** The parameter with which callers choose the size of a page; undefined if they cannot. */
  readonly sizeParameter: string | undefined
  /** Numbers the page at this URL; undefined if the list has no numbered pages. */
  readonly numberPage: (url: URL, total: Total | undefined) => PageNumber | undefined
  /** Lists the objects of all pages, in the order of the pages: the request has no parameters of pages. */
  readonly listAll: (request: HandlerContext) => MaybePromise<ApiResponse>
  /** Writes the rows of a file; undefined if rows cannot create objects, such as those that need a file. */
  readonly imported: WriteImported | undefined
  /**
   * Reads the names of related objects, which the caller may read, from the values of fields: one statement per relation.
   */
  readonly readNames: (
    values: Readonly<Record<string, readonly unknown[]>>,
    context: RequestContext,
  ) => Promise<ObjectNames>
  /** The names that `fields` and `omit`, and `expand`, take; undefined if the list has none of them. */
  readonly describeSelection: ((caller: Caller) => SelectionNames) | undefined
}

/** The value that a filter compares, and how. */
export interface FilterLookup {
  /** The path of the value, as parameters have it: `customer__country`. */
  readonly path: string
  /** The name of the lookup, such as `not__in`. */
  readonly name: string
  /** The value, with its label. */
  readonly field: Field
}

/** Describes an object for pages. */
export interface ObjectMetadata {
  /** The table of the object. */
  readonly table: string
  /** Writes several objects of the same list, by method. */
  readonly writeSelected: Readonly<Record<'PATCH' | 'DELETE', WriteSelected>>
  /** Counts what the deletion of the objects with these path segments affects; undefined if the resource does not tell. */
  readonly countDeletion: ((segments: readonly string[]) => Promise<DeletionCounts>) | undefined
  /** The fields of a GET. */
  readonly fields: Fields
  readonly groups: readonly FieldGroup[]
  readonly readNames: ListMetadata['readNames']
}

/** Describes requests with many objects. */
export interface BulkMetadata {
  readonly mode: 'atomic' | 'each'
  /** The maximum number of items. */
  readonly max: number
  /** The methods of the actions, by action: `{ create: 'POST' }`. */
  readonly methods: Readonly<Record<string, string>>
  /** The field by which items name their objects, on the wire; undefined if no action needs it. */
  readonly key: string | undefined
}

/** A related object as a page shows it; `href`: the path of its page. */
export interface RelatedName {
  readonly name: string
  readonly href: string | undefined
}

/** The names of related objects: by field, and by the value of the field. */
export type ObjectNames = Readonly<Record<string, ReadonlyMap<string, RelatedName>>>

/** An object to which a relation can refer: the value that a body contains, and its name. */
export interface RelatedOption {
  readonly value: string
  readonly name: string
}

/** The objects of a relation that are wanted: those with these values or keys, or else those whose names contain all words of `search`. */
export interface RelatedQuery {
  readonly values?: readonly string[]
  /** The keys in the database. */
  readonly keys?: readonly string[]
  readonly search?: string
  /** The most objects. */
  readonly limit: number
}

/**
 * Finds objects to which the field of a relation can refer, of those that the caller may list. Undefined if the caller may not list them, or if responses do not contain the values that bodies take.
 */
export type FindRelatedOptions = (
  field: Field,
  query: RelatedQuery,
  context: RequestContext,
) => Promise<readonly RelatedOption[] | undefined>

/** The names that the parameters of a list take. */
export interface SelectionNames {
  /** The names for `fields` and `omit`. */
  readonly fields?: readonly string[]
  readonly expand?: readonly string[]
  /** The fields of each set, by its parameter. */
  readonly fieldSets?: Readonly<Record<string, readonly string[]>>
}

/** The list as a caller sees it; the same object if that is all of it. */
export function narrowListMetadata(list: ListMetadata, caller: Caller | undefined): ListMetadata {
  const parts = {
    fields: listVisibleFields(list.fields, caller),
    searchFields: listVisibleFields(list.searchFields, caller),
    filters: listVisibleFields(list.filters, caller),
    orderingFields: listVisibleFields(list.orderingFields, caller),
  }
  const isSame = (['fields', 'searchFields', 'filters', 'orderingFields'] as const).every(
    name => parts[name] === list[name],
  )
  return isSame ? list : { ...list, ...parts }
}

/** The description of a list in the response to `OPTIONS`: how it can be searched, filtered, ordered and paginated. */
export function describeList(list: ListMetadata): object {
  const { searchFields, filters, filterDescriptions, filterGroups, orderingFields, pageParameters, pageHeaders } = list
  const ownNames = Object.entries(list.parameterNames).filter(([parameter, name]) => name !== parameter)
  const parts = {
    search: Object.keys(searchFields),
    filters: Object.fromEntries(Object.keys(filters).map(name => [name, filterDescriptions[name]])),
    ordering: Object.keys(orderingFields),
    pagination: pageParameters,
    pagination_headers: pageHeaders,
    parameters: Object.fromEntries(ownNames),
  }
  const found = Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0))
  return filterGroups === 0 ? found : { ...found, filter_groups: filterGroups }
}

/** The description of fields in the response to `OPTIONS`, as in Django REST framework. */
export function describeFields(fields: Fields): Record<string, object> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, describeField(name, field)]))
}

/** The description of a response: its type, and the fields of an object that the caller sees. */
export function describeShown({ kind, child, children, shownFields, ...field }: Field, caller: Caller): object {
  const fields = children ?? (child ? undefined : shownFields)
  const parts = Object.entries(fields ? listVisibleFields(fields, caller) : {})
  return {
    type: kind.name,
    ...describeLimits(field),
    ...(child && { child: describeShown(child, caller) }),
    ...(fields && {
      children: Object.fromEntries(
        parts.filter(([, part]) => !part.writeOnly).map(([name, part]) => [name, describeShown(part, caller)]),
      ),
    }),
  }
}

function describeField(name: string, field: Field): object {
  const { kind, required, readOnly, child, children } = field
  return {
    type: kind.name,
    required,
    read_only: readOnly,
    label: readEnglish(formatLabel(name, field)),
    ...describeLimits(field),
    ...(child && { child: describeField('', child) }),
    ...(children && { children: describeFields(children) }),
  }
}

/** The description of a value: its type, and what it may be. */
export const describeValue = (
  value: Pick<Field, 'kind'> & Partial<Pick<Field, 'help' | 'bounds' | 'choices'>>,
): object => ({ type: value.kind.name, ...describeLimits(value) })

const describeLimits = ({
  help,
  bounds,
  choices,
  file,
}: Partial<Pick<Field, 'help' | 'bounds' | 'choices' | 'file'>>): object => ({
  ...(help !== undefined && { help_text: readEnglish(help) }),
  ...bounds,
  ...(file?.types && { content_types: file.types }),
  ...(choices && { choices: [...choices].map(([value, label]) => ({ value, display_name: readEnglish(label) })) }),
})
