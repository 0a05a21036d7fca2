// The fields and relations that queries may select in the responses of a resource, with `?fields=`, `?omit=` and `?expand=`.

import type { Envelope } from '../../../http/envelope/envelope.ts'
import type { Caller } from '../../../http/identity.ts'
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

/** The actions whose responses allow selections. */
export type SelectableAction = 'list' | 'retrieve'

/** Reads and describes selections of a resource's fields and relations. */
export interface ResourceSelection {
  /** Reads the query of an action; undefined if it selects nothing. Throws ValidationError, by parameter. */
  read(action: SelectableAction, query: URLSearchParams, caller: Caller): Selection | undefined
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
  if (parameters.length === 0) return undefined
  const selectable = new Map<SelectableAction, SelectableFields>()
  whenResolved(() => {
    for (const action of ['list', 'retrieve'] as const)
      selectable.set(action, createActionFields(resource, plans[action], api))
    if (envelope?.expanded !== undefined) checkKeys(resource, selectable.get('list')!)
  })
  return {
    listExpandable: (action, caller) => listExpandable(selectable.get(action)!, caller),
    describeExpansions: (action, context) =>
      describeExpansions(selectable.get(action)!, resource.sparseFields === true, context),
    read: (action, query, caller) =>
      readSelection(selectable.get(action)!, { parameters, parameterNames }, query, caller),
    describe(caller) {
      const list = selectable.get('list')!
      return {
        ...(parameters.includes('fields') && { fields: listFields(list, noNames, caller) }),
        ...(parameters.includes('expand') && { expand: listExpandable(list, caller) }),
      }
    },
  }
}

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
