import type { ApiTypes, ResourceTypes } from 'resource-api'

/**
 * The resources that the types of a resource need: those of the API, if a field names one of them. Otherwise its types are
 * those that the server uses, which the compiler has made already.
 */
export type Known<T extends ResourceTypes, A extends ApiTypes> = [Naming<T['fields'][keyof T['fields']]>] extends [
  never,
]
  ? T
  : A['resources']

type Naming<F> = F extends unknown ? ('~related' extends keyof F ? F : never) : never
