// The route of an object, and its forms.

import { NotFound } from '../../errors/exceptions.ts'
import { listOnWire, nameOnWire } from '../../fields/wire-names.ts'
import type { HandlerContext } from '../../http/context.ts'
import { parseSegment } from '../../keys/parse-segment.ts'
import type { Form, ObjectMetadata } from '../../view/metadata.ts'
import type { ViewOptions } from '../../view/view.ts'
import type { BoundResource } from '../bind/bound-resource.ts'
import { checkLookupRows } from '../bind/check-lookup.ts'
import { createColumnReader, makeReadOnly, type ResourceLocation } from '../bind/resource-location.ts'
import type { Resource } from '../declare/resource.ts'
import { actionsOnWire, groupsOnWire } from '../define/page-options.ts'
import { listSelectionNames } from '../query/selection/resource-selection.ts'
import { createNamesReader } from '../read/related-names.ts'
import { readObjectId, retrieve } from '../read/retrieve.ts'
import { createSelectedWriters } from '../write/bulk/write-selected.ts'
import { destroy } from '../write/destroy.ts'
import { acceptFiles } from '../write/file-writes.ts'
import { putSingleton } from '../write/put-singleton.ts'
import { update } from '../write/update.ts'
import { findPermissionObject, loadObject } from '../write/write.ts'
import { describeDestroy, describeRetrieve, describeUpdate } from './operations/object-operations.ts'
import { completeActions } from './page-actions.ts'
import { createHandlers, formatObjectName, type Route, type SharedOptions } from './route.ts'
import { createObjectMethods } from './view-routes.ts'

const objectActions = ['retrieve', 'update', 'destroy'] as const

/** Creates the route of an object; none if it has no handler. */
export function createObjectRoute(location: ResourceLocation, path: string, shared: SharedOptions): readonly Route[] {
  const { objects: bound } = location
  const { resource, plans } = bound
  for (const action of objectActions)
    if (resource.actions.includes(action)) checkLookupRows(resource, plans[action].filter, path)
  const put = createsByPut(resource)
    ? putSingleton(bound, createColumnReader(location))
    : update(bound, { partial: bound.put === 'partial' })
  const check = (context: HandlerContext) => checkUpdate(bound, context)
  const actions = createHandlers(bound, [
    ['retrieve', 'GET', retrieve(bound)],
    ['update', 'PUT', acceptFiles(bound, 'update', put, createsByPut(resource) ? async () => undefined : check)],
    ['update', 'PATCH', acceptFiles(bound, 'update', update(bound, { partial: true }), check)],
    ['destroy', 'DELETE', destroy(bound)],
  ])
  const methods = createObjectMethods(location, 'objectMethods', resource.objectMethods ?? { handlers: {} })
  const handlers = { ...actions, ...methods.handlers }
  if (Object.keys(handlers).length === 0) return []
  const { objectName } = resource
  return [
    {
      path,
      view: {
        ...shared,
        ...formatObjectName(resource),
        handlers,
        forms: { ...createObjectForms(bound, actions), ...methods.forms },
        descriptions: methods.descriptions,
        operations: { ...describeActions(location), ...methods.operations },
        pageActions: completeActions(actionsOnWire(resource), location, 'pages.actions'),
        ...(actions.GET && { objectMetadata: createObjectMetadata(location) }),
        ...(bound.envelope && { envelope: bound.envelope }),
        ...(objectName && { objectName: nameOnWire(objectName, resource.fields[objectName]!) }),
      },
    },
  ]
}

function createObjectMetadata(location: ResourceLocation): ObjectMetadata {
  const { resource, plans, identifier } = location.objects
  const { countDeletion } = resource
  return {
    fields: listOnWire(plans.retrieve.shows),
    groups: groupsOnWire(resource),
    readNames: createNamesReader(location.objects, plans.retrieve.shows),
    table: resource.table,
    writeSelected: createSelectedWriters(location),
    countDeletion:
      countDeletion &&
      (segments =>
        countDeletion(
          identifier,
          segments.flatMap(segment => parseSegment(segment, identifier) ?? []),
        )),
  }
}

const describeActions = (location: ResourceLocation): NonNullable<ViewOptions['operations']> => ({
  GET: describeRetrieve(location),
  PUT: describeUpdate(location, 'PUT'),
  PATCH: describeUpdate(location, 'PATCH'),
  DELETE: describeDestroy(location),
})

function createObjectForms(bound: BoundResource, handlers: ViewOptions['handlers']): Record<string, Form> {
  const { resource, plans } = bound
  const shared = {
    ...(resource.requireIfMatch === true && { requiresIfMatch: true }),
    selectionParameters: listSelectionNames(resource, bound.parameterNames),
  }
  const find = findPermissionObject(bound, 'update')
  const updateForm: Form = {
    heading: 'Edit',
    fields: listOnWire(makeReadOnly(plans.update.takes, (_name, { fixed }) => fixed)),
    groups: groupsOnWire(resource),
    findPermissionObject: find,
    ...shared,
  }
  const createForm: Form = {
    ...updateForm,
    fields: listOnWire(plans.update.takes),
    findPermissionObject: context => find(context).catch(ignoreNotFound),
  }
  const putForm = bound.put === 'partial' ? makePartial(updateForm) : updateForm
  return {
    ...(handlers.PUT && { PUT: createsByPut(resource) ? createForm : putForm }),
    ...(handlers.PATCH && { PATCH: updateForm }),
    ...(handlers.DELETE && {
      DELETE: { fields: {}, findPermissionObject: findPermissionObject(bound, 'destroy'), ...shared },
    }),
  }
}

const makePartial = (form: Form): Form => ({
  ...form,
  fields: Object.fromEntries(Object.entries(form.fields).map(([name, field]) => [name, { ...field, required: false }])),
  isPartial: true,
})

const createsByPut = ({ singleton, actions }: Resource): boolean =>
  singleton !== undefined && actions.includes('create')

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
}

// Rejects as the update would, before the files of its body are stored.
const checkUpdate = async (bound: BoundResource, context: HandlerContext): Promise<unknown> =>
  loadObject(bound, context, 'update', { id: await readObjectId(bound, context), isKey: false })
