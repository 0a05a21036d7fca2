// Reads `?fields=`, `?omit=` and `?expand=`. Unknown names are 400, also in lists that ignore unknown parameters: a
// response without the expected field would be harder to understand. A field that the caller does not see has no name.

import { type ErrorDetail, type ErrorTree, ValidationError } from '../../../errors/exceptions.ts'
import { createUnknownNameError } from '../../../errors/unknown-name.ts'
import type { Fields } from '../../../fields/field.ts'
import type { Caller } from '../../../http/identity.ts'
import type { ParameterNames } from '../../../http/urls/parameter-names.ts'
import { frameworkMessages } from '../../../messages/english.ts'
import { createNameTree, type NameTree, noNames, readNames, removeInner, type SelectionParameter } from './name-tree.ts'
import {
  type Expansion,
  findInner,
  isVisible,
  type SelectableField,
  type SelectableFields,
} from './selectable-fields.ts'
import { createSelectedFields, createSeparateFields, type SeparateFields } from './selected-fields.ts'

/** The fields and the expanded relations that a query selects. */
export interface Selection {
  /** Equal for all queries that select the same. */
  readonly key: string
  /** The relations that the response shows as objects; the view of each must allow the caller to read. */
  readonly expansions: readonly Expansion[]
  /** Creates the fields of the response. */
  createFields(): Fields
  /** Creates the fields of a list that shows expanded objects apart from its items; undefined if there are none. */
  createSeparateFields(): SeparateFields | undefined
}

/** The most relations that one query may expand. */
export const maxExpanded = 10
/** The most names in `fields`, and in `omit`. */
export const maxNames = 100

/** The parameters that a resource has, and their names. */
export interface SelectionOptions {
  readonly parameters: readonly SelectionParameter[]
  readonly parameterNames: Required<ParameterNames>
}

/** Reads the parameters that a resource has; undefined if the query contains none. Throws ValidationError, by parameter. */
export function readSelection(
  selectable: SelectableFields,
  { parameters, parameterNames }: SelectionOptions,
  query: URLSearchParams,
  caller: Caller,
): Selection | undefined {
  const read = (parameter: SelectionParameter) =>
    parameters.includes(parameter) ? readNames(query, parameterNames[parameter]) : []
  const names = { expand: read('expand'), fields: read('fields'), omit: read('omit') }
  if (Object.values(names).every(({ length }) => length === 0)) return undefined
  const errors: Record<string, ErrorTree<ErrorDetail>> = {}
  const check = (parameter: SelectionParameter, found: ErrorDetail | undefined) => {
    if (found !== undefined) errors[parameterNames[parameter]] = [found]
  }
  const notExpandable = checkExpanded(names.expand, selectable, caller)
  check('expand', notExpandable)
  const expand = notExpandable === undefined ? createNameTree(names.expand) : noNames
  if (notExpandable === undefined)
    for (const parameter of ['fields', 'omit'] as const)
      check(parameter, checkFields(names[parameter], selectable, expand, caller))
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  const [fields, omit] = [removeInner(names.fields), removeInner(names.omit)]
  const selected = () => ({
    expand,
    fields: fields.length === 0 ? undefined : createNameTree(fields),
    omit: createNameTree(omit),
  })
  return {
    key: JSON.stringify([names.expand, fields, omit]),
    expansions: listExpansions(selectable, expand),
    createFields: () => createSelectedFields(selectable, selected()),
    createSeparateFields: () => (expand.size === 0 ? undefined : createSeparateFields(selectable, selected())),
  }
}

/** The error of the first name that cannot be expanded. */
function checkExpanded(
  names: readonly string[],
  selectable: SelectableFields,
  caller: Caller,
): ErrorDetail | undefined {
  if (names.length > maxExpanded) return frameworkMessages('max_names', { max: maxExpanded })
  const fits = (entry: SelectableField) => entry.isExpandable && isVisible(entry, caller)
  return findFirst(names, name => findUnknown('not_expandable', selectable, name, expandAll, fits))
}

/** The error of the first name that the response would not show. */
function checkFields(
  names: readonly string[],
  selectable: SelectableFields,
  expand: NameTree,
  caller: Caller,
): ErrorDetail | undefined {
  if (names.length > maxNames) return frameworkMessages('max_names', { max: maxNames })
  return findFirst(names, name =>
    findUnknown('unknown_field', selectable, name, expand, entry => isVisible(entry, caller)),
  )
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const expandAll = 'all'

type Expanded = NameTree | typeof expandAll

const enter = (expanded: Expanded, name: string): Expanded | undefined =>
  expanded === expandAll ? expandAll : expanded.get(name)

/** The error of the first part of the path that leads to no field that fits. */
function findUnknown(
  key: 'unknown_field' | 'not_expandable',
  selectable: SelectableFields,
  path: string,
  expanded: Expanded,
  fits: (entry: SelectableField) => boolean,
): ErrorDetail | undefined {
  let level: SelectableFields | undefined = selectable
  let inside: Expanded | undefined = expanded
  const parts = path.split('.')
  for (const [index, part] of parts.entries()) {
    const entry: SelectableField | undefined = level?.get(part)
    if (entry === undefined || !fits(entry)) {
      const known = [...(level ?? [])].flatMap(([name, other]) => (fits(other) ? [name] : []))
      const prefix = parts
        .slice(0, index)
        .map(name => `${name}.`)
        .join('')
      return createUnknownNameError(key, part, known, { prefix, suffix: path.slice(prefix.length + part.length) })
    }
    inside = inside && enter(inside, part)
    level = findInner(entry, inside !== undefined)
  }
  return undefined
}

function listExpansions(selectable: SelectableFields, expand: NameTree): readonly Expansion[] {
  return [...expand].flatMap(([name, inside]) => {
    const entry = selectable.get(name)!
    return [...(entry.expansion ? [entry.expansion] : []), ...listExpansions(findInner(entry, true)!, inside)]
  })
}
