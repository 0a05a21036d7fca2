// The authentication schemes of operations. A client uses one of them; they are listed in the order in which the view tries
// them, and an operation that anonymous callers may call also lists none.

import {
  findFreeName,
  isSafe,
  type Permission,
  type Scheme,
  type SecurityRequirement,
  type SecurityScheme,
} from '#core'

/** Adds security schemes to a document. */
export interface SecuritySchemes {
  /** The name of a scheme in the document. */
  add(scheme: Scheme): string | undefined
  readonly all: Readonly<Record<string, SecurityScheme>>
}

export function createSecuritySchemes(): SecuritySchemes {
  const all: Record<string, SecurityScheme> = {}
  const names = new Map<string, string>()
  return {
    all,
    add(scheme) {
      const description = scheme.security ?? guessSecurity(scheme)
      if (description === undefined) return undefined
      const identity = JSON.stringify(description)
      const known = names.get(identity)
      if (known !== undefined) return known
      const name = findFreeName(scheme.name.replace(/[^\w.-]+/g, '-'), each => Object.hasOwn(all, each))
      names.set(identity, name)
      all[name] = description
      return name
    },
  }
}

// A scheme of the application that does not describe itself.
function guessSecurity({ challenge, varyOn }: Scheme): SecurityScheme | undefined {
  const [field] = varyOn
  if (challenge !== undefined && field === 'authorization')
    return { type: 'http', scheme: challenge.split(' ', 1)[0]!.toLowerCase() }
  return field === undefined || field === 'cookie' || field === 'authorization'
    ? undefined
    : { type: 'apiKey', in: 'header', name: field }
}

interface SecuredView {
  readonly authentication: readonly Scheme[]
  readonly permissions: readonly Permission[]
}

/** The alternatives of an operation; an empty one stands for anonymous callers. */
export function listRequirements(
  { authentication, permissions }: SecuredView,
  method: string,
  schemes: SecuritySchemes,
): readonly SecurityRequirement[] {
  const names = authentication.flatMap(scheme => schemes.add(scheme) ?? [])
  const needsAuthentication = permissions.some(
    ({ authenticated }) => authenticated === 'always' || (authenticated === 'writes' && !isSafe(method)),
  )
  return [...names.map(name => ({ [name]: [] })), ...(needsAuthentication && names.length > 0 ? [] : [{}])]
}
