// Refuses wrong policies. Node runs TypeScript without checking types, and a value that is not a permission would open a
// view to everyone.

import { describeGiven } from '../base/describe-given.ts'
import type { ViewInfo } from '../http/context.ts'
import type { Paginator } from '../pagination/paginator.ts'
import { checkPermission } from './permissions/check-permissions.ts'
import type { Permission } from './permissions/permission.ts'
import type { Policies } from './policies.ts'

/** Throws for the first wrong policy of an API, a resource, an action, a view or a method. `where` may be empty. */
export function checkPolicies(where: string, policies: Partial<Policies<ViewInfo, never>>): void {
  for (const [option, kind] of Object.entries(kinds)) {
    const given: unknown = policies[option as keyof Policies]
    const label = joinLabel(where, option)
    if (given === undefined) continue
    if (!Array.isArray(given)) throw new Error(`${label} must be a list: write ${option}: [${kind.example}]`)
    for (const [index, policy] of given.entries()) checkPolicy(`${label}[${index}]`, policy, kind)
  }
}

/** Throws for permissions that `and()`, `or()` and `not()` cannot combine. */
export function checkCombined(combinator: string, permissions: readonly Permission<never>[]): void {
  for (const [index, permission] of permissions.entries())
    checkPolicy(`${combinator}: argument ${index + 1}`, permission, kinds.permissions)
}

/** Throws for a value that is not a paginator; undefined and null are none. */
export function checkPaginator(where: string, paginator: Paginator | null | undefined): void {
  if (paginator === undefined || paginator === null) return
  checkPolicy(joinLabel(where, 'pagination'), paginator, {
    noun: 'a paginator',
    example: 'pageNumber({ pageSize: 100 })',
    check: checkFunctions('plan'),
  })
}

interface Kind<Policy> {
  readonly noun: string
  readonly example: string
  /** Throws if an object is not a policy of this kind. */
  readonly check: (where: string, policy: Policy) => void
}

function checkPolicy<Policy>(where: string, policy: unknown, { noun, example, check }: Kind<Policy>): void {
  if (typeof policy !== 'object' || policy === null || Array.isArray(policy)) {
    const hint = typeof policy === 'function' ? `; call the function first if it creates ${noun}` : ''
    throw new Error(`${where} is ${describeGiven(policy)}: write ${noun}, such as ${example}${hint}`)
  }
  check(where, policy as Policy)
}

const checkFunctions =
  (...names: readonly string[]) =>
  (where: string, policy: object): void => {
    const missing = names.find(name => typeof (policy as Record<string, unknown>)[name] !== 'function')
    if (missing !== undefined) throw new Error(`${where} has no function "${missing}": add it`)
  }

const kinds: { readonly [Option in keyof Policies]: Kind<never> } = {
  permissions: {
    noun: 'a permission',
    example: 'authenticated or { allows: ({ user }) => user.isStaff }',
    check: checkPermission,
  },
  throttles: {
    noun: 'a throttle',
    example: "userThrottle({ rates: '1000/day', store })",
    check: checkFunctions('check'),
  },
  parsers: { noun: 'a parser', example: 'jsonParser()', check: checkFunctions('parse') },
  renderers: { noun: 'a renderer', example: 'jsonRenderer', check: checkFunctions('canRender', 'render') },
  authentication: {
    noun: 'a scheme',
    example: 'tokenScheme({ find })',
    check(where, scheme: { readonly varyOn: unknown }) {
      checkFunctions('authenticate')(where, scheme)
      if (!Array.isArray(scheme.varyOn))
        throw new Error(`${where} has no list "varyOn": name the header fields that it reads: ["authorization"]`)
    },
  },
}

const joinLabel = (where: string, option: string): string => (where === '' ? option : `${where}: ${option}`)
