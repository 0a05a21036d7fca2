// Describes the actions at the URL of an object.

import { documentMessages } from '../../../messages/document-messages.ts'
import type { MessageText } from '../../../messages/english.ts'
import type {
  DescribedResponse,
  DescribeOperation,
  DescriptionContext,
} from '../../../view/describe/described-operation.ts'
import { sharedDescriptions } from '../../../view/describe/error-responses.ts'
import { makeReadOnly, type ResourceLocation } from '../../bind/resource-location.ts'
import { hasHooks } from '../../declare/hooks.ts'
import { showsAsRetrieved } from '../../sql/action-plan.ts'
import { listWriteConditions, modifiedSince, preferParameter, readConditions } from './header-parameters.ts'
import { describeSelection, describeSelectionErrors } from './list-parameters.ts'
import { findNames, nameOperation } from './operation-names.ts'
import { describePath } from './path-parameters.ts'
import {
  chooseUpdateBody,
  describeBody,
  describeBodyErrors,
  describeObjects,
  describeRetrieved,
  wrapSchema,
} from './resource-schemas.ts'
import { notModified, readPreconditionErrors } from './shared-responses.ts'

/** Describes a GET of an object. */
export const describeRetrieve =
  (location: ResourceLocation): DescribeOperation =>
  context => {
    const { bound } = location
    const { noStore, lastModified } = bound.resource
    const selection = describeSelection(bound, 'retrieve', context)
    const conditions = lastModified === undefined ? readConditions : [...readConditions, modifiedSince]
    const object = describeObjects(bound, 'retrieve', context)
    return {
      ...nameOperation('retrieve', findNames(location).one),
      path: describePath(location, 'object'),
      parameters: [...selection, ...(noStore ? [] : conditions)],
      responses: {
        200: {
          description: documentMessages('document.object'),
          schema: describeRetrieved(bound, context),
          object,
          headers: noStore ? [] : lastModified === undefined ? ['ETag'] : ['ETag', 'Last-Modified'],
        },
        ...(!noStore && notModified),
      },
      errors: {
        ...(selection.length > 0 && { invalid: describeSelectionErrors(selection) }),
        ...(!noStore && { statuses: readPreconditionErrors }),
        usesDatabase: true,
      },
    }
  }

/** Describes a PUT or a PATCH of an object. */
export const describeUpdate =
  (location: ResourceLocation, method: 'PUT' | 'PATCH'): DescribeOperation =>
  context => {
    const { bound, objects } = location
    const { resource } = bound
    const isCreating = method === 'PUT' && resource.singleton !== undefined && resource.actions.includes('create')
    const takes = objects.plans.update.takes
    const selection = describeSelection(bound, 'update', context)
    const fields = isCreating ? takes : makeReadOnly(takes, (_name, { fixed }) => fixed)
    return {
      ...nameOperation(method === 'PUT' ? 'replace' : 'update', findNames(location).one),
      path: describePath(location, 'object'),
      parameters: [...selection, ...listWriteConditions(bound), preferParameter],
      body: describeBody(location, chooseUpdateBody(bound, method, fields), context),
      responses: {
        200: { ...describeChanged(location, method, context), description: documentMessages('document.changed') },
        ...(isCreating && {
          201: { ...describeChanged(location, method, context), description: documentMessages('document.created') },
        }),
        204: { description: documentMessages('document.was_changed'), headers: ['Preference-Applied'] },
      },
      errors: {
        invalid: [describeBodyErrors(location, context), ...describeSelectionErrors(selection)],
        statuses: { 409: sharedDescriptions[409], ...listConditionErrors(location) },
        mayRaiseOthers: hasHooks(resource, 'update') || (isCreating && hasHooks(resource, 'create')),
        usesDatabase: true,
      },
    }
  }

function describeChanged(
  { bound }: ResourceLocation,
  method: 'PUT' | 'PATCH',
  context: DescriptionContext,
): Omit<DescribedResponse, 'description'> {
  const isTagged = method === 'PATCH' && showsAsRetrieved(bound, 'update') && !bound.resource.noStore
  return {
    schema: wrapSchema(bound, describeObjects(bound, 'update', context)),
    ...(isTagged && { headers: ['ETag'] }),
  }
}

const listConditionErrors = ({ bound: { resource } }: ResourceLocation): Readonly<Record<number, MessageText>> => ({
  412: sharedDescriptions[412],
  ...(resource.requireIfMatch && { 428: sharedDescriptions[428] }),
})

/** Describes a DELETE of an object. */
export const describeDestroy =
  (location: ResourceLocation): DescribeOperation =>
  () => ({
    ...nameOperation('delete', findNames(location).one),
    path: describePath(location, 'object'),
    parameters: listWriteConditions(location.bound),
    responses: { 204: { description: documentMessages('document.deleted') } },
    errors: {
      statuses: { 409: sharedDescriptions[409], ...listConditionErrors(location) },
      mayRaiseOthers: hasHooks(location.bound.resource, 'destroy'),
      usesDatabase: true,
    },
  })
