// The fields and relations that queries may select in the responses of a resource, with `?fields=`, `?omit=` and `?expand=`.

import { nameOnWire } from '../../../fields/wire-names.ts'
import { type Envelope, type ExpandedMember, findExpandedMember } from '../../../http/envelope/envelope.ts'
import type { Caller } from '../../../http/identity.ts'
import type { ParameterNames } from '../../../http/urls/parameter-names.ts'
import type { DescriptionContext } from '../../../view/describe/described-operation.ts'
import type { Expansions } from '../../../view/describe/field-schema.ts'
import type { SelectionNames } from '../../../view/metadata.ts'
import type { Resource } from '../../declare/resource.ts'
import type { MountedApi, WhenResolved } from '../../names/mounted-api.ts'
import type { ActionPlan, ActionPlans } from '../../sql/action-plan.ts'
import { describeExpansions, listExpandable, listFields } from './describe-selection.ts'
import { createNameTree, noNames, type SelectionParameter } from './name-tree.ts'
import { readSelection, type Selection, type SelectionOptions } from './read-selection.ts'
import { createSelectableFields, type SelectableFields } from './selectable-fields.ts'
import { findKeyName } from './selected-fields.ts'

/** The actions whose responses allow selections: those of writes only with `selectsIn: 'all'`. */
export type SelectableAction = 'list' | 'retrieve' | 'create' | 'update'

const readActions = ['list', 'retrieve'] as const
const allSelectable = [...readActions, 'create', 'update'] as const

/** Whether callers may also select what the responses to writes show. */
export const selectsInWrites = (resource: Pick<Resource, 'selectsIn' | 'sparseFields' | 'expandableFields'>): boolean =>
  resource.selectsIn === 'all' && listSelectionParameters(resource).length > 0

/** Reads and describes selections of a resource's fields and relations. */
export interface ResourceSelection {
  /**
   * Reads the query of an action; undefined if it selects nothing. Throws ValidationError, by parameter. `isRead`: whether it may
   * choose sets of fields.
   */
  read(action: SelectableAction, query: URLSearchParams, caller: Caller, isRead: boolean): Selection | undefined
  /** The names for the parameters of lists, for a caller; a parameter that the resource does not have is left out. */
  describe(caller: Caller): SelectionNames
  /** The paths of the relations that a caller may expand; all, if the caller is undefined. */
  listExpandable(action: SelectableAction, caller: Caller | undefined): readonly string[]
  /** Describes the relations that callers may expand, for the OpenAPI document. */
  describeExpansions(action: SelectableAction, context: DescriptionContext): Expansions
}

/** The parameters that the options of a resource declare. */
export const listSelectionParameters = ({
  sparseFields = false,
  expandableFields = [],
}: Pick<Resource, 'sparseFields' | 'expandableFields'>): readonly SelectionParameter[] => [
  ...(sparseFields ? (['fields', 'omit'] as const) : []),
  ...(expandableFields.length > 0 ? (['expand'] as const) : []),
]

type SelectedOptions = Pick<Resource, 'fields' | 'sparseFields' | 'expandableFields' | 'fieldSets'>

/** The names of the parameters that select what responses show. */
export const listSelectionNames = (
  resource: SelectedOptions,
  parameterNames: Required<ParameterNames>,
): readonly string[] => [
  ...listSelectionParameters(resource).map(parameter => parameterNames[parameter]),
  ...Object.keys(resource.fieldSets ?? {}),
]

/** The names on the wire of the fields of each set, by its parameter. */
export const listSets = ({ fields, fieldSets = {} }: SelectedOptions): ReadonlyMap<string, readonly string[]> =>
  new Map(
    Object.entries(fieldSets).map(([parameter, names]) => [
      parameter,
      names.map(name => nameOnWire(name, fields[name]!)),
    ]),
  )

interface SelectedResource extends WhenResolved, Pick<SelectionOptions, 'parameterNames'> {
  readonly api: MountedApi
  readonly envelope: Envelope | undefined
}

/**
 * Binds the selection of a resource; undefined if the resource allows none. The related resources are looked up once
 * all APIs are known.
 */
export function bindSelection(
  resource: Resource,
  plans: ActionPlans,
  { api, parameterNames, envelope, whenResolved }: SelectedResource,
): ResourceSelection | undefined {
  const parameters = listSelectionParameters(resource)
  const sets = listSets(resource)
  if (parameters.length === 0 && sets.size === 0) return undefined
  const ignoresUnknown = resource.unknownNames === 'ignore'
  const selectable = new Map<SelectableAction, SelectableFields>()
  whenResolved(() => {
    for (const action of selectsInWrites(resource) ? allSelectable : readActions)
      selectable.set(action, createActionFields(resource, plans[action], api))
    const member = findExpandedMember(envelope)
    if (member !== undefined) checkKeys(resource, selectable.get('list')!)
    if (member?.objects) {
      checkKeys(resource, selectable.get('retrieve')!)
      checkMember(resource, member, selectable.get('retrieve')!, envelope)
    }
  })
  return {
    listExpandable: (action, caller) => listExpandable(selectable.get(action)!, caller),
    describeExpansions: (action, context) =>
      describeExpansions(selectable.get(action)!, resource.sparseFields === true, context),
    read(action, query, caller, isRead) {
      const fields = selectable.get(action)
      const options = { parameters, parameterNames, sets: isRead ? sets : noSets, ignoresUnknown }
      return fields && readSelection(fields, options, query, caller)
    },
    describe(caller) {
      const list = selectable.get('list')!
      return {
        ...(parameters.includes('fields') && { fields: listFields(list, noNames, caller) }),
        ...(parameters.includes('expand') && { expand: listExpandable(list, caller) }),
        ...(sets.size > 0 && { fieldSets: describeSets(sets, list, caller) }),
      }
    },
  }
}

const noSets: SelectionOptions['sets'] = new Map()

/** The fields of each set that the caller sees. */
const describeSets = (sets: SelectionOptions['sets'], list: SelectableFields, caller: Caller) =>
  Object.fromEntries(
    [...sets].map(([parameter, names]) => {
      const seen = listFields(new Map([...list].filter(([name]) => names.includes(name))), noNames, caller)
      return [parameter, seen.filter(name => names.includes(name))]
    }),
  )

// A relation that only the other action shows cannot be expanded here.
function createActionFields(
  { name, expandableFields = [] }: Resource,
  { shows }: ActionPlan,
  api: MountedApi,
): SelectableFields {
  const isShown = (path: string) => Object.hasOwn(shows, path.split('.')[0]!)
  try {
    return createSelectableFields(shows, createNameTree(expandableFields.filter(isShown)), api)
  } catch (error) {
    throw new Error(`resource "${name}": expandableFields: ${(error as Error).message}`)
  }
}

function checkKeys({ name: resource }: Resource, selectable: SelectableFields): void {
  for (const [name, { expansion }] of selectable)
    if (expansion !== undefined && findKeyName(expansion.fields) === undefined)
      throw new Error(
        `resource "${resource}": expandableFields: "${name}": the envelope shows its objects by their keys: add the field key() to its resource`,
      )
}

function checkMember(
  { name: resource }: Resource,
  { name }: ExpandedMember,
  selectable: SelectableFields,
  envelope: Envelope | undefined,
): void {
  if (envelope?.one === undefined && selectable.has(name))
    throw new Error(
      `resource "${resource}": envelope.expanded: there is a field "${name}": give the member another name, or give the object a name with "one"`,
    )
}
