import {
  authenticatedOrReadOnly,
  createApi,
  type Database,
  type Resource,
  type TokenOptions,
  tokenScheme,
} from 'resource-api'

/** Everyone reads; whoever brings a token that `find` knows also writes. */
export const guarded = (database: Database, resource: Resource, find: TokenOptions['find']) =>
  createApi({
    database,
    resources: [resource],
    authentication: [tokenScheme({ find, keyword: 'Bearer' })],
    permissions: [authenticatedOrReadOnly],
  })
