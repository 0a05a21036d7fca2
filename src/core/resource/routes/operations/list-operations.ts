// Describes the actions at the URL of a list.

import { describeMembers, type JsonSchema } from '../../../describe/json-schema.ts'
import type { Parameter } from '../../../describe/openapi-types.ts'
import { findExpandedMember, findPageNames } from '../../../http/envelope/envelope.ts'
import { documentMessages } from '../../../messages/document-messages.ts'
import type {
  DescribedOperation,
  DescribeOperation,
  DescriptionContext,
} from '../../../view/describe/described-operation.ts'
import { sharedDescriptions } from '../../../view/describe/error-responses.ts'
import { formatTypeName } from '../../../view/describe/names.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import { type ResourceLocation, withoutParent } from '../../bind/resource-location.ts'
import { hasHooks } from '../../declare/hooks.ts'
import { hasObjectUrl } from '../../declare/resource-methods.ts'
import { completeBulk } from '../../define/check-bulk.ts'
import { showsAsRetrieved } from '../../sql/action-plan.ts'
import { describeBulkCreate } from './bulk-operations.ts'
import { listIdempotencyKey, preferParameter, readConditions } from './header-parameters.ts'
import { describeQueryErrors, describeSelection, describeSelectionErrors, listParameters } from './list-parameters.ts'
import { findNames, nameOperation, namePart } from './operation-names.ts'
import { describePath } from './path-parameters.ts'
import {
  describeBody,
  describeBodyErrors,
  describeExpanded,
  describeItem,
  describeObjects,
  wrapSchema,
} from './resource-schemas.ts'
import { notModified, readPreconditionErrors } from './shared-responses.ts'

/** Describes a GET of a list. */
export const describeList =
  (location: ResourceLocation): DescribeOperation =>
  context => {
    const { bound } = location
    const { many } = findNames(location)
    const { list } = bound
    const parameters = listParameters(bound, context)
    const page = {
      description: documentMessages('document.items'),
      schema: describeItems(bound, context),
      ...(!bound.resource.noStore && { headers: ['ETag'] as const }),
    }
    return {
      ...nameOperation('list', list === undefined ? many : namePart(`${list} ${many.name}`, many, list)),
      path: describePath(location, 'list'),
      parameters: [...parameters, ...listPageHeaders(bound), ...(bound.resource.noStore ? [] : readConditions)],
      responses: {
        ...Object.fromEntries(listPageStatuses(bound).map(status => [status, page])),
        ...(!bound.resource.noStore && notModified),
      },
      errors: {
        invalid: [describeQueryErrors(parameters)],
        ...(!bound.resource.noStore && { statuses: readPreconditionErrors }),
        usesDatabase: true,
      },
    }
  }

const listPageHeaders = ({ paginator }: BoundResource): readonly Parameter[] =>
  (paginator?.varyOn ?? []).map(name => ({ name, in: 'header', required: false, schema: { type: 'string' } }))

const listPageStatuses = ({ paginator, pageSize }: BoundResource): readonly number[] => [
  200,
  ...(paginator?.describePages?.(pageSize)?.statuses ?? []),
]

/** The body of a list: a page, or all items. */
function describeItems(bound: BoundResource, context: DescriptionContext): JsonSchema {
  const { resource, paginator, pageSize, envelope, list = '' } = bound
  const names = findPageNames(envelope ?? {})
  const items: JsonSchema = { type: 'array', items: describeObjects(bound, 'list', context) }
  const expanded = describeExpanded(bound, 'list', context)
  const results = { [names.results ?? 'results']: items }
  const plain = names.results === undefined ? items : describeMembers(results)
  const isAlways = expanded !== undefined && findExpandedMember(envelope)!.always
  const always = isAlways ? Object.keys(expanded) : []
  const withExpanded = expanded && describeMembers({ ...expanded, ...results }, [...always, ...Object.keys(results)])
  const whole = withExpanded === undefined ? plain : isAlways ? withExpanded : { anyOf: [plain, withExpanded] }
  if (paginator === null) return whole
  if (paginator.describePages === undefined) return {}
  const pages = paginator.describePages(pageSize)
  if (pages === undefined || (pages.members === null && names.results === undefined)) return whole
  const members = Object.entries(pages.members ?? {}).flatMap(([member, schema]) => {
    const name = names[member as keyof typeof names]
    return name === null ? [] : [[name ?? member, schema] as const]
  })
  const required = [...members.map(([name]) => name), ...always, ...Object.keys(results)]
  const page = context.referTo(resource, formatTypeName(list, 'List'), () =>
    describeMembers({ ...Object.fromEntries(members), ...expanded, ...results }, required),
  )
  return pages.isOptional ? { anyOf: [page, whole] } : page
}

/** Describes a POST to a list: of one object, or of many. */
export const describeCreate =
  (location: ResourceLocation): DescribeOperation =>
  context => {
    const { bound, list } = location
    const { resource, plans } = bound
    const { one } = findNames(location)
    const idempotencyKey = listIdempotencyKey(bound)
    const selection = describeSelection(bound, 'create', context)
    const taken = { fields: withoutParent(plans.create.takes, list), method: 'POST', form: 'Create' } as const
    const object = wrapSchema(bound, describeObjects(bound, 'create', context))
    const isTagged = showsAsRetrieved(bound, 'create') && resource.actions.includes('retrieve') && !resource.noStore
    const described: DescribedOperation = {
      ...nameOperation('create', one),
      path: describePath(location, 'list'),
      parameters: [...selection, ...idempotencyKey, preferParameter],
      body: describeBody(location, taken, context),
      responses: {
        [resource.perAction.create?.status ?? 201]: {
          description: documentMessages('document.created'),
          schema: object,
          headers: [
            ...(hasObjectUrl(resource) ? (['Location'] as const) : []),
            ...(isTagged ? (['ETag'] as const) : []),
            'Preference-Applied' as const,
          ],
        },
      },
      errors: {
        invalid: [describeBodyErrors(location, context), ...describeSelectionErrors(selection)],
        statuses: {
          409: sharedDescriptions[409],
          ...(idempotencyKey.length > 0 && { 422: sharedDescriptions[422] }),
        },
        mayRaiseOthers: hasHooks(resource, 'create'),
        usesDatabase: true,
      },
    }
    const bulk = completeBulk(resource)
    return bulk?.actions.includes('create')
      ? describeBulkCreate(location, described, { item: describeItem(location, taken, context), bulk }, context)
      : described
  }
