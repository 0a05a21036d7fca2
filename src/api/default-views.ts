// The views of an API that the application does not declare.

import {
  allowAny,
  type DescribeOperation,
  draftText,
  endUrl,
  formatResourcePath,
  isOnlyNested,
  type JsonSchema,
  NotFound,
  type OperationOptions,
  type Resource,
  type ViewOptions,
} from '#core'
import { pageMessages } from '#pages'

/**
 * Creates the view at the API's own URL, which lists the resources that it has when it is called. It is open to every caller: it reveals only URLs that are documented.
 */
export function createRootView(resources: readonly Resource[]): ViewOptions {
  return {
    name: 'Api Root',
    permissions: [allowAny],
    operations: { GET: describeRoot },
    handlers: {
      GET: ({ baseUrl, view }) => ({
        status: 200,
        body: Object.fromEntries(
          resources
            .filter(hasList)
            .map(resource => [resource.name, endUrl(`${baseUrl}/${formatResourcePath(resource)}/`, view.urlEnd)]),
        ),
      }),
    },
  }
}

const describeRoot: DescribeOperation = () => ({
  id: 'getApiRoot',
  summary: pageMessages('document.list_resources'),
  responses: { 200: { description: pageMessages('document.root'), schema: urlsByName } },
})

const urlsByName: JsonSchema = { type: 'object', additionalProperties: { type: 'string', format: 'uri' } }

/** Describes the response of a root view that an application declares: URLs by name. */
export const rootResponse: OperationOptions = {
  responses: {
    200: {
      description: draftText(pageMessages('document.parts')),
      content: { 'application/json': { schema: urlsByName } },
    },
  },
}

// Whether the resource's list, or its one object, has a URL at the top level. Without one, other resources can still refer to the resource.
const hasList = (resource: Resource): boolean =>
  !isOnlyNested(resource) &&
  (resource.singleton !== undefined ||
    resource.listMethods !== undefined ||
    resource.actions.includes('list') ||
    resource.actions.includes('create'))

/** The view of unknown URLs: responds with 404, without authentication or throttling. */
export const notFoundOptions = {
  name: 'Not Found',
  authentication: [],
  permissions: [
    {
      allows: () => {
        throw new NotFound()
      },
    },
  ],
  throttles: [],
  handlers: {},
} satisfies ViewOptions

/** The view of a URL at which the application has routes for these methods only: it responds to all others. */
export function createOwnRouteOptions(methods: readonly string[]): ViewOptions {
  // A request with one of the methods arrives here if the route has constraints, such as another host.
  const notFound = () => {
    throw new NotFound()
  }
  return {
    ...{ name: 'Own Route', authentication: [], permissions: [allowAny], throttles: [], lenientAccept: true },
    handlers: { ...Object.fromEntries(methods.map(method => [method, notFound])), OPTIONS: () => ({ status: 204 }) },
  }
}
