// The schemas of a resource: its representation, and the bodies of its creates and updates.

import { describeMembers, type JsonSchema } from '../../../describe/json-schema.ts'
import type { Field, Fields, RelationTarget } from '../../../fields/field.ts'
import { listOnWire } from '../../../fields/wire-names.ts'
import { findExpandedMember } from '../../../http/envelope/envelope.ts'
import type { DescribedBody, DescriptionContext } from '../../../view/describe/described-operation.ts'
import { describeErrors, errorTexts } from '../../../view/describe/error-schema.ts'
import { describeShownObject, describeTakenObject } from '../../../view/describe/field-schema.ts'
import { isFlat } from '../../../view/describe/view-operations.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'
import type { Action } from '../../declare/action-options.ts'
import { selectsInWrites } from '../../query/selection/resource-selection.ts'
import { findNames } from './operation-names.ts'

/** The objects in the responses of an action. Actions that show the same fields share a component. */
export function describeObjects(bound: BoundResource, action: Action, context: DescriptionContext): JsonSchema {
  const { resource, plans, selection } = bound
  const { shows } = plans[action]
  const isSparse = resource.sparseFields === true || resource.fieldSets !== undefined
  const isRead = action === 'list' || action === 'retrieve'
  const selects = isRead || (action !== 'destroy' && selectsInWrites(resource))
  const ofApi: DescriptionContext = {
    ...context,
    hidesRows: target => bound.api.findRowFilter(target as RelationTarget) !== undefined,
  }
  const form = haveSameNames(shows, plans.retrieve.shows) ? '' : forms[action]
  return context.referTo(resource, form, () =>
    describeShownObject(
      context.listFields(listOnWire(shows)),
      {
        isSparse: isSparse && (selects || form === ''),
        ...(selection && {
          expansions: selection.describeExpansions(selects ? action : 'retrieve', ofApi),
        }),
      },
      ofApi,
    ),
  )
}

const forms: Readonly<Record<Action, string>> = {
  list: 'ListItem',
  create: 'Created',
  retrieve: '',
  update: 'Updated',
  destroy: '',
}

const haveSameNames = (first: Fields, second: Fields): boolean =>
  Object.keys(first).join() === Object.keys(second).join()

/** Puts the name of the envelope around an object. */
export const wrapSchema = ({ envelope }: BoundResource, schema: JsonSchema): JsonSchema =>
  envelope?.one === undefined ? schema : describeMembers({ [envelope.one]: schema })

/** The member with the objects of expanded relations; undefined if the response has none. */
export function describeExpanded(
  { selection, envelope }: BoundResource,
  action: 'list' | 'retrieve',
  context: DescriptionContext,
): Readonly<Record<string, JsonSchema>> | undefined {
  const member = findExpandedMember(envelope)
  if (member === undefined || selection === undefined || (action === 'retrieve' && !member.objects)) return undefined
  const relations = Object.entries(selection.describeExpansions(action, context)).flatMap(([name, { object }]) =>
    object === undefined ? [] : [[name, { type: 'object', additionalProperties: object() }] as const],
  )
  return { [member.name]: describeMembers(Object.fromEntries(relations), []) }
}

/** The response to a GET of an object: its representation, and the member with the objects of expanded relations. */
export function describeRetrieved(bound: BoundResource, context: DescriptionContext): JsonSchema {
  const schema = wrapSchema(bound, describeObjects(bound, 'retrieve', context))
  const expanded = describeExpanded(bound, 'retrieve', context)
  if (expanded === undefined) return schema
  const required = findExpandedMember(bound.envelope)!.always ? Object.keys(expanded) : []
  return { allOf: [schema, describeMembers(expanded, required)] }
}

/** The fields of a body, and the name of its component. */
export interface DescribedFields {
  readonly fields: Fields
  /** The method whose rules about absent fields apply. */
  readonly method: 'POST' | 'PUT' | 'PATCH'
  readonly form: string
}

/** The body of an update: with `put: 'partial'`, a PUT changes as little as a PATCH. */
export const chooseUpdateBody = ({ put }: BoundResource, method: 'PUT' | 'PATCH', fields: Fields): DescribedFields =>
  method === 'PATCH' || put === 'partial'
    ? { fields, method: 'PATCH', form: 'Update' }
    : { fields, method: 'PUT', form: 'Replace' }

/**
 * Refers to the component of a body. Below a parent, the body does not contain the relation to it, so it has a component of its
 * own.
 */
export function describeItem(
  location: ResourceLocation,
  { fields, method, form }: DescribedFields,
  context: DescriptionContext,
  media: 'json' | 'form' = 'json',
): JsonSchema {
  const { resource } = location.bound
  const isNarrowed = location.list.parents.length > 0 && hasOtherFields(fields, resource.fields)
  const names = isNarrowed
    ? { name: location.list.pattern, title: findNames(location).one.name }
    : { name: resource.name, title: resource.title }
  return context.referTo(names, media === 'form' ? `${form}Form` : form, () =>
    describeTakenObject(
      context.listFields(listOnWire(fields)),
      { method, media, refusesUnknown: location.bound.unknownFields === 'refuse' },
      context,
    ),
  )
}

// A field that the path of a parent made read-only.
const hasOtherFields = (fields: Fields, declared: Fields): boolean =>
  Object.entries(fields).some(([name, field]) => field.readOnly && !declared[name]!.readOnly && !declared[name]!.fixed)

/** Describes the body of a create or an update. */
export function describeBody(
  location: ResourceLocation,
  described: DescribedFields,
  context: DescriptionContext,
): DescribedBody {
  const { fields, method } = described
  const visible = context.listFields(fields)
  const taken = Object.values(visible).filter(({ readOnly }) => !readOnly)
  const hasFiles = taken.some(({ file }) => file !== undefined)
  const schema = describeItem(location, described, context)
  const form = hasFiles ? describeItem(location, described, context, 'form') : isFlat(visible) ? schema : undefined
  return {
    required: method !== 'PATCH' && taken.some(isNeeded),
    schema: wrapSchema(location.bound, schema),
    ...(form && { form }),
    ...(hasFiles && { hasFiles }),
  }
}

const isNeeded = ({ required }: Field): boolean => required

/** The errors of the bodies of a resource, by field. */
export function describeBodyErrors({ bound }: ResourceLocation, context: DescriptionContext): JsonSchema {
  const { resource, plans, envelope } = bound
  const errors = context.referTo(resource, 'Errors', () => {
    const fields = listOnWire({ ...plans.create.takes, ...plans.update.takes })
    return describeErrors(context.listFields(fields), context, context)
  })
  return envelope?.one === undefined ? errors : { anyOf: [errors, wrapSchema(bound, errorTexts)] }
}
