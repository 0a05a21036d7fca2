import type { ViewInfo } from '../http/context.ts'
import type { Identity } from '../http/identity.ts'
import type { Parser } from '../http/parsers/parser.ts'
import type { Renderer } from '../http/renderers/renderer.ts'
import type { Scheme } from './authentication/scheme.ts'
import type { Permission } from './permissions/permission.ts'
import type { Throttle } from './throttling/throttle.ts'

/**
 * The policies of an API; a view may replace each of them. `V` is the view as its renderers receive it, `User` the type
 * of the API's callers.
 */
export interface Policies<V extends ViewInfo = ViewInfo, User extends Identity = Identity> {
  readonly authentication: readonly Scheme[]
  readonly permissions: readonly Permission<User>[]
  readonly throttles: readonly Throttle<User>[]
  readonly parsers: readonly Parser[]
  readonly renderers: readonly Renderer<V>[]
}
