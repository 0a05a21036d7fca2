// Reads `?fields=`, `?omit=` and `?expand=`. Unknown names are 400, also in lists that ignore unknown parameters: a
// response without the expected field would be harder to understand. A field that the caller does not see has no name.

import type { Caller } from '../../authentication/identity.ts'
import { type ErrorDetail, type ErrorTree, ValidationError } from '../../errors/exceptions.ts'
import type { Fields } from '../../fields/field.ts'
import { isMet } from '../../fields/field-visibility.ts'
import { showObjects } from '../../fields/nested.ts'
import { frameworkMessages } from '../../messages/english.ts'
import { createUnknownNameError } from '../unknown-name.ts'
import type { Choice, Choices, Expansion } from './choices.ts'
import { createNameTree, type NameTree, noNames, readNames, removeInner, type SelectionParameter } from './names.ts'

/** What a query chooses of a response. */
export interface Selection {
  /** The same for every query that chooses the same. */
  readonly key: string
  /** The relations that the response shows as objects; the view of each must allow the caller to read. */
  readonly expansions: readonly Expansion[]
  /** Creates the fields of the response. */
  createFields(): Fields
}

/** The most relations that one query may expand. */
export const maxExpanded = 10
/** The most names in `fields`, and in `omit`. */
export const maxNames = 100

/** Reads the parameters that a resource has; undefined if the query contains none. Throws ValidationError, by parameter. */
export function readSelection(
  choices: Choices,
  parameters: readonly SelectionParameter[],
  query: URLSearchParams,
  caller: Caller,
): Selection | undefined {
  const read = (parameter: SelectionParameter) => (parameters.includes(parameter) ? readNames(query, parameter) : [])
  const names = { expand: read('expand'), fields: read('fields'), omit: read('omit') }
  if (Object.values(names).every(({ length }) => length === 0)) return undefined
  const errors: Record<string, ErrorTree<ErrorDetail>> = {}
  const check = (parameter: SelectionParameter, found: ErrorDetail | undefined) => {
    if (found !== undefined) errors[parameter] = [found]
  }
  check('expand', checkExpanded(names.expand, choices, caller))
  const expand = errors.expand === undefined ? createNameTree(names.expand) : noNames
  if (errors.expand === undefined)
    for (const parameter of ['fields', 'omit'] as const)
      check(parameter, checkFields(names[parameter], choices, expand, caller))
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  const [fields, omit] = [removeInner(names.fields), removeInner(names.omit)]
  return {
    key: JSON.stringify([names.expand, fields, omit]),
    expansions: listExpansions(choices, expand),
    createFields: () =>
      pick(choices, {
        expand,
        fields: fields.length === 0 ? undefined : createNameTree(fields),
        omit: createNameTree(omit),
      }).fields,
  }
}

/** The error of the first name that cannot be expanded. */
function checkExpanded(names: readonly string[], choices: Choices, caller: Caller): ErrorDetail | undefined {
  if (names.length > maxExpanded) return frameworkMessages('max_names', { max: maxExpanded })
  const fits = (choice: Choice) => choice.isExpandable && isVisible(choice, caller)
  return findFirst(names, name => findUnknown('not_expandable', choices, name, expandAll, fits))
}

/** The error of the first name that the response would not show. */
function checkFields(
  names: readonly string[],
  choices: Choices,
  expand: NameTree,
  caller: Caller,
): ErrorDetail | undefined {
  if (names.length > maxNames) return frameworkMessages('max_names', { max: maxNames })
  return findFirst(names, name =>
    findUnknown('unknown_field', choices, name, expand, choice => isVisible(choice, caller)),
  )
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

const isVisible = ({ field: { visible } }: Choice, caller: Caller): boolean =>
  visible === undefined || isMet(visible, caller)

const expandAll = 'all'

type Expanded = NameTree | typeof expandAll

/** The fields of the objects that a field shows, if the query expands these names. */
function findInner({ expansion, inner }: Choice, isExpanded: boolean): Choices | undefined {
  return isExpanded ? (expansion?.fields ?? inner) : inner
}

const enter = (expanded: Expanded, name: string): Expanded | undefined =>
  expanded === expandAll ? expandAll : expanded.get(name)

/** The error of the first part of the path that leads to no field that fits. */
function findUnknown(
  key: 'unknown_field' | 'not_expandable',
  choices: Choices,
  path: string,
  expanded: Expanded,
  fits: (choice: Choice) => boolean,
): ErrorDetail | undefined {
  let level: Choices | undefined = choices
  let inside: Expanded | undefined = expanded
  const parts = path.split('.')
  for (const [index, part] of parts.entries()) {
    const choice: Choice | undefined = level?.get(part)
    if (choice === undefined || !fits(choice)) {
      const known = [...(level ?? [])].flatMap(([name, other]) => (fits(other) ? [name] : []))
      const prefix = parts
        .slice(0, index)
        .map(name => `${name}.`)
        .join('')
      return createUnknownNameError(key, part, known, { prefix, suffix: path.slice(prefix.length + part.length) })
    }
    inside = inside && enter(inside, part)
    level = findInner(choice, inside !== undefined)
  }
  return undefined
}

/** The paths of the relations that the caller may expand. */
export function listExpandable(choices: Choices, caller: Caller, prefix = ''): readonly string[] {
  return [...choices].flatMap(([name, choice]) => {
    if (!choice.isExpandable || !isVisible(choice, caller)) return []
    const path = prefix + name
    const inner = listExpandable(findInner(choice, true)!, caller, `${path}.`)
    return choice.expansion === undefined ? inner : [path, ...inner]
  })
}

/** The paths of the fields that the response shows to the caller, if the query expands these names. */
export function listFields(choices: Choices, expand: NameTree, caller: Caller, prefix = ''): readonly string[] {
  return [...choices].flatMap(([name, choice]) => {
    if (!isVisible(choice, caller)) return []
    const inside = expand.get(name)
    const inner = findInner(choice, inside !== undefined)
    const path = prefix + name
    return [path, ...(inner === undefined ? [] : listFields(inner, inside ?? noNames, caller, `${path}.`))]
  })
}

function listExpansions(choices: Choices, expand: NameTree): readonly Expansion[] {
  return [...expand].flatMap(([name, inside]) => {
    const choice = choices.get(name)!
    return [...(choice.expansion ? [choice.expansion] : []), ...listExpansions(findInner(choice, true)!, inside)]
  })
}

interface Chosen {
  readonly expand: NameTree
  /** Undefined for all fields. */
  readonly fields: NameTree | undefined
  readonly omit: NameTree
}

interface Picked {
  readonly fields: Fields
  /** False if these are the fields that the response shows to every query without these parameters. */
  readonly isChanged: boolean
}

function pick(choices: Choices, { expand, fields, omit }: Chosen): Picked {
  const picked: Record<string, Fields[string]> = {}
  for (const [wireName, choice] of choices) {
    const named = fields?.get(wireName)
    const omitted = omit.get(wireName)
    if ((fields !== undefined && named === undefined) || omitted?.size === 0) continue
    picked[choice.name] = pickInner(
      choice,
      {
        expand: expand.get(wireName) ?? noNames,
        fields: named?.size ? named : undefined,
        omit: omitted ?? noNames,
      },
      expand.has(wireName),
    )
  }
  const all = [...choices.values()]
  const isChanged = all.some(({ name, field }) => picked[name] !== field)
  return { fields: picked, isChanged }
}

// Row filters apply to expanded objects even if the field shows keys of hidden ones.
function pickInner(choice: Choice, chosen: Chosen, isNamed: boolean): Fields[string] {
  const { field, join, expansion } = choice
  const isExpanded = isNamed && expansion !== undefined
  const inner = findInner(choice, isNamed)
  if (inner === undefined) return field
  const { fields, isChanged } = pick(inner, chosen)
  if (!isExpanded && !isChanged) return field
  return showObjects(field, isExpanded ? { ...join!, ignoreRowFilter: false } : join!, fields)
}
