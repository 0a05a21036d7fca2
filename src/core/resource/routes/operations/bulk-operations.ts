// Describes requests with many objects.

import { describeMembers, type JsonSchema } from '../../../describe/json-schema.ts'
import { findPathIdentifier } from '../../../fields/identifier.ts'
import { listOnWire, nameOnWire } from '../../../fields/wire-names.ts'
import { describeIdentifier } from '../../../keys/key.ts'
import { documentMessages } from '../../../messages/document-messages.ts'
import type {
  DescribedErrors,
  DescribedOperation,
  DescribedResponse,
  DescribeOperation,
  DescriptionContext,
} from '../../../view/describe/described-operation.ts'
import { sharedDescriptions } from '../../../view/describe/error-responses.ts'
import { describeTakenObject } from '../../../view/describe/field-schema.ts'
import { makeReadOnly, type ResourceLocation } from '../../bind/resource-location.ts'
import type { Bulk, BulkAction } from '../../declare/bulk-option.ts'
import { hasHooks } from '../../declare/hooks.ts'
import { completeBulk, findNamingField } from '../../define/check-bulk.ts'
import { preferParameter } from './header-parameters.ts'
import { describeSelection, describeSelectionErrors } from './list-parameters.ts'
import { findNames, nameOperation } from './operation-names.ts'
import { describePath } from './path-parameters.ts'
import { chooseUpdateBody, describeBodyErrors, describeItem, describeObjects } from './resource-schemas.ts'

/** Extends the description of a create: its body may also be a list of objects. */
export function describeBulkCreate(
  location: ResourceLocation,
  described: DescribedOperation,
  { item, bulk }: { readonly item: JsonSchema; readonly bulk: Bulk },
  context: DescriptionContext,
): DescribedOperation {
  const body = described.body!
  const { status = 201 } = location.bound.resource.perAction.create ?? {}
  const { [status]: created, ...responses } = described.responses
  const many = describeWritten(location, 'create', context)
  return {
    ...described,
    body: { ...body, schema: { oneOf: [body.schema, describeMany(item, bulk)] } },
    responses: {
      ...responses,
      [status]: bulk.mode === 'each' ? created! : { ...created!, schema: { oneOf: [created!.schema!, many.schema!] } },
      ...(bulk.mode === 'each' && { 207: many }),
    },
    errors: {
      ...described.errors,
      areOfItems: true,
      invalid: [...described.errors!.invalid!, ...describeItemErrors(location, context)],
    },
  }
}

/** Describes a PUT, PATCH or DELETE of many objects. */
export const describeBulkWrite =
  (location: ResourceLocation, method: 'PUT' | 'PATCH' | 'DELETE'): DescribeOperation =>
  context => {
    const { resource } = location.bound
    const bulk = completeBulk(resource)!
    const action: BulkAction = method === 'DELETE' ? 'destroy' : 'update'
    const verb = ({ PUT: 'replace', PATCH: 'update', DELETE: 'delete' } as const)[method]
    const status = bulk.mode === 'each' ? 207 : method === 'DELETE' ? 204 : 200
    const selection = method === 'DELETE' ? [] : describeSelection(location.bound, 'update', context)
    const errors: DescribedErrors = {
      invalid: [...describeItemErrors(location, context), ...describeSelectionErrors(selection)],
      areOfItems: true,
      statuses: {
        404: documentMessages('document.one_missing'),
        409: sharedDescriptions[409],
      },
      mayRaiseOthers: hasHooks(resource, action),
      usesDatabase: true,
    }
    return {
      ...nameOperation(verb, findNames(location).many),
      path: describePath(location, 'list'),
      ...(method !== 'DELETE' && { parameters: [...selection, preferParameter] }),
      body: {
        required: true,
        schema: describeArray(method, describeMany(describeNamedItem(location, method, context), bulk), bulk),
      },
      responses: {
        [status]: describeWritten(location, action, context),
        ...(status === 200 && {
          204: { description: documentMessages('document.were_changed'), headers: ['Preference-Applied'] },
        }),
      },
      errors,
    }
  }

// The keys of a DELETE may also be in a member.
const describeArray = (method: string, array: JsonSchema, { keysIn }: Bulk): JsonSchema =>
  method === 'DELETE' && keysIn !== undefined ? { anyOf: [array, describeMembers({ [keysIn]: array })] } : array

const describeMany = (items: JsonSchema, { max }: Bulk): JsonSchema => ({ type: 'array', items, maxItems: max })

// An item names its object by the field that URLs contain.
function describeNamedItem(
  location: ResourceLocation,
  method: 'PUT' | 'PATCH' | 'DELETE',
  context: DescriptionContext,
): JsonSchema {
  const { bound, objects } = location
  const { resource } = bound
  const declared = findNamingField(resource)!
  const name = nameOnWire(declared, resource.fields[declared]!)
  const key = describeIdentifier(findPathIdentifier(resource))
  const named = describeMembers({ [name]: key })
  if (method === 'DELETE') return { anyOf: [key, named] }
  const fields = makeReadOnly(objects.plans.update.takes, (_name, { fixed }) => fixed)
  const body = chooseUpdateBody(bound, method, fields)
  if (bound.unknownFields === 'ignore') return { allOf: [named, describeItem(location, body, context)] }
  const item = describeTakenObject(
    context.listFields(listOnWire(fields)),
    { method: body.method, refusesUnknown: true },
    context,
  )
  return {
    ...item,
    ...describeMembers({ ...Object(item.properties), [name]: key }, [
      name,
      ...((item.required ?? []) as readonly string[]),
    ]),
  }
}

function describeWritten(
  location: ResourceLocation,
  action: BulkAction,
  context: DescriptionContext,
): DescribedResponse {
  const { bound } = location
  const { mode } = completeBulk(bound.resource)!
  if (action === 'destroy' && mode === 'atomic') return { description: documentMessages('document.were_deleted') }
  const object = describeObjects(bound, action, context)
  if (mode === 'atomic')
    return { description: documentMessages('document.in_order'), schema: { type: 'array', items: object } }
  const members = {
    status: { type: 'integer' },
    ...(action === 'create' && { location: { type: 'string', format: 'uri' } }),
    body: action === 'destroy' ? {} : { anyOf: [object, {}] },
  }
  return {
    description: documentMessages('document.results'),
    schema: { type: 'array', items: describeMembers(members, ['status']) },
  }
}

// The errors of each item, `{}` for one without, or those of the whole body.
const describeItemErrors = (location: ResourceLocation, context: DescriptionContext): readonly JsonSchema[] => [
  { type: 'array', items: { type: 'object' } },
  describeBodyErrors(location, context),
]
