import type { Scheme } from './authentication/scheme.ts'
import type { ViewInfo } from './context.ts'
import type { Parser } from './parsers/parser.ts'
import type { Permission } from './permissions/permission.ts'
import type { Renderer } from './renderers/renderer.ts'
import type { Throttle } from './throttling/throttle.ts'

/** The policies of an API, each replaceable by a view. `V` is what renderers know of the view. */
export interface Policies<V extends ViewInfo = ViewInfo> {
  readonly authentication: readonly Scheme[]
  readonly permissions: readonly Permission[]
  readonly throttles: readonly Throttle[]
  readonly parsers: readonly Parser[]
  readonly renderers: readonly Renderer<V>[]
}
