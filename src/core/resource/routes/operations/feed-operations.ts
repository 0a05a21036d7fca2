// Describes the changes of a list.

import { describeMembers, type JsonSchema } from '../../../describe/json-schema.ts'
import type { Parameter } from '../../../describe/openapi-types.ts'
import { documentMessages } from '../../../messages/document-messages.ts'
import { frameworkMessages } from '../../../messages/english.ts'
import type { DescribeOperation, DescriptionContext } from '../../../view/describe/described-operation.ts'
import { createParameter } from '../../../view/describe/query-parameters.ts'
import type { BoundResource } from '../../bind/bound-resource.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'
import { describeQueryErrors, listParameters } from './list-parameters.ts'
import { findNames, nameOperation, namePart } from './operation-names.ts'
import { describePath } from './path-parameters.ts'
import { describeObjects } from './resource-schemas.ts'

/** Describes a GET of the feed. */
export const describeFeed =
  (location: ResourceLocation): DescribeOperation =>
  context => {
    const parameters = [...listFilterParameters(location.bound, context), since]
    return {
      ...nameFeed(location, 'feed'),
      path: describePath(location, 'list'),
      parameters,
      responses: { 200: { description: documentMessages('document.feed'), mediaType: 'text/event-stream' } },
      errors: { invalid: [describeQueryErrors(parameters)], usesDatabase: true },
    }
  }

/** Describes a GET of the changes since a position. */
export const describeChanges =
  (location: ResourceLocation): DescribeOperation =>
  context => {
    const { bound } = location
    const parameters = [...listFilterParameters(bound, context), since]
    const change: JsonSchema = {
      type: 'object',
      properties: {
        event: { type: 'string', enum: ['created', 'changed', 'deleted', 'visible', 'hidden'] },
        key: { type: [bound.identifier.type === 'integer' ? 'integer' : 'string'] },
        object: describeObjects(bound, 'list', context),
      },
      required: ['event', 'key'],
    }
    return {
      ...nameFeed(location, 'changes'),
      path: describePath(location, 'list'),
      parameters,
      responses: {
        200: {
          description: documentMessages('document.changes'),
          schema: describeMembers({
            next: { type: 'string' },
            has_more: { type: 'boolean' },
            changes: { type: 'array', items: change },
          }),
        },
      },
      errors: {
        invalid: [describeQueryErrors(parameters)],
        statuses: { 404: frameworkMessages('not_found.cursor'), 410: frameworkMessages('feed_position_expired') },
        usesDatabase: true,
      },
    }
  }

const since: Parameter = createParameter(
  'since',
  { type: 'string' },
  { description: documentMessages('document.since') },
)

function nameFeed(location: ResourceLocation, segment: string) {
  const { many } = findNames(location)
  return nameOperation('list', namePart(`${many.name} ${segment}`, many, segment))
}

// A feed has no pages, and no order.
function listFilterParameters(bound: BoundResource, context: DescriptionContext): readonly Parameter[] {
  const { paginator, parameterNames } = bound
  const left = new Set([...Object.keys(paginator?.parameters ?? {}), parameterNames.search, parameterNames.ordering])
  return listParameters(bound, context).filter(({ name }) => !left.has(name))
}
