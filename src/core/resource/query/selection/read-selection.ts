// Reads `?fields=`, `?omit=` and `?expand=`. Unknown names are 400, also in lists that ignore unknown parameters: a
// response without the expected field would be harder to understand. A field that the caller does not see has no name.

import { type ErrorDetail, type ErrorTree, ValidationError } from '../../../errors/exceptions.ts'
import { createUnknownNameError } from '../../../errors/unknown-name.ts'
import { emptyContext, type Fields } from '../../../fields/field.ts'
import { boolean } from '../../../fields/kinds/boolean.ts'
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
  /** The names on the wire of the fields of each set, by its parameter. */
  readonly sets: ReadonlyMap<string, readonly string[]>
  /** True: unknown names select nothing. */
  readonly ignoresUnknown: boolean
}

/** Reads the parameters that a resource has; undefined if the query contains none. Throws ValidationError, by parameter. */
export function readSelection(
  selectable: SelectableFields,
  { parameters, parameterNames, sets, ignoresUnknown }: SelectionOptions,
  query: URLSearchParams,
  caller: Caller,
): Selection | undefined {
  const read = (parameter: SelectionParameter) =>
    parameters.includes(parameter) ? readNames(query, parameterNames[parameter]) : []
  const given = { expand: read('expand'), fields: read('fields'), omit: read('omit') }
  const errors: Record<string, ErrorTree<ErrorDetail>> = {}
  const chosen = readSets(sets, query, errors)
  const isEmpty = Object.values(given).every(({ length }) => length === 0)
  if (isEmpty && chosen === undefined && Object.keys(errors).length === 0) return undefined
  const names = ignoresUnknown ? keepKnown(given, selectable, caller) : given
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
  const fields = given.fields.length === 0 ? chosen : removeInner(names.fields)
  const omit = removeInner(names.omit)
  const selected = () => ({ expand, fields: fields && createNameTree(fields), omit: createNameTree(omit) })
  return {
    key: JSON.stringify([names.expand, fields ?? null, omit]),
    expansions: listExpansions(selectable, expand),
    createFields: () => createSelectedFields(selectable, selected()),
    createSeparateFields: () => (expand.size === 0 ? undefined : createSeparateFields(selectable, selected())),
  }
}

const flag = boolean()

/** The fields of the sets that the query chooses; undefined without one. Adds the error of each wrong value. */
function readSets(
  sets: SelectionOptions['sets'],
  query: URLSearchParams,
  errors: Record<string, ErrorTree<ErrorDetail>>,
): readonly string[] | undefined {
  const chosen = [...sets].filter(([parameter]) => {
    const texts = query.getAll(parameter).filter(text => text !== '')
    try {
      return texts.map(text => flag.parse(text, emptyContext)).includes(true)
    } catch (error) {
      errors[parameter] = (error as ValidationError).errors
      return false
    }
  })
  return chosen.length === 0 ? undefined : chosen.flatMap(([, names]) => names)
}

type GivenNames = Readonly<Record<SelectionParameter, readonly string[]>>

/** The names without those that are unknown to the caller. */
function keepKnown(given: GivenNames, selectable: SelectableFields, caller: Caller): GivenNames {
  const expand = given.expand.filter(name => checkExpanded([name], selectable, caller) === undefined)
  const tree = createNameTree(expand)
  const keep = (names: readonly string[]) =>
    names.filter(name => checkFields([name], selectable, tree, caller) === undefined)
  return { expand, fields: keep(given.fields), omit: keep(given.omit) }
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
