import {
  authenticatedOrReadOnly,
  createApi,
  type Database,
  type Resource,
  type TokenOptions,
  tokenScheme,
} from 'resource-api'

/** Everyone may read; callers with a token that `find` accepts may also write. */
export const guarded = (database: Database, resource: Resource, find: TokenOptions['find']) =>
  createApi({
    database,
    resources: [resource],
    authentication: [tokenScheme({ find, keyword: 'Bearer' })],
    permissions: [authenticatedOrReadOnly],
  })
