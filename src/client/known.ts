import type { ApiTypes } from '#api'
import type { ResourceTypes } from '#core'

/**
 * The resources that the types of a resource depend on: all of the API if a field names a resource, otherwise itself alone.
 * The compiler has then made these types already, for the code of the server.
 */
export type Known<
  T extends ResourceTypes,
  A extends ApiTypes,
> = 'named' extends T['fields'][keyof T['fields']]['link']['kind'] ? A['resources'] : T
