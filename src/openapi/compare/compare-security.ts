// Compares who may call an operation: a list of alternatives, each of which needs one or more schemes. Without schemes, the
// operation can be called anonymously.

import { isDeepStrictEqual } from 'node:util'
import { type BreakingChange, createChange } from './breaking-change.ts'
import { type DocumentNode, findNode, type Members, type OperationNode, readMembers } from './document-node.ts'

/** Finds the alternatives of the old operation with which the new one cannot be called. */
export function compareSecurity(old: OperationNode, current: OperationNode): readonly BreakingChange[] {
  const all = readAlternatives(current)
  const withSchemes = all.filter(alternative => Object.keys(alternative).length > 0)
  return readAlternatives(old)
    .filter(alternative => {
      // An operation without schemes takes every request; beside schemes, the anonymous alternative is for anonymous callers.
      const allowed = Object.keys(alternative).length > 0 && withSchemes.length > 0 ? withSchemes : all
      return !allowed.some(other => isEnough(alternative, other, old.root, current.root))
    })
    .map(alternative => {
      const names = Object.keys(alternative)
      const message =
        names.length === 0 ? 'can no longer be called anonymously' : `no longer accepts ${names.join(' with ')}`
      return createChange(current.operation, message)
    })
}

function readAlternatives({ root, operation }: Pick<OperationNode, 'root' | 'operation'>): readonly Members[] {
  const { security = readMembers(root).security } = readMembers(operation)
  return Array.isArray(security) && security.length > 0 ? security : [{}]
}

/** Whether a caller with the schemes of one alternative satisfies another one. The names of schemes are not part of requests. */
const isEnough = (given: Members, needed: Members, old: DocumentNode, current: DocumentNode): boolean =>
  Object.entries(needed).every(([name, scopes]) =>
    Object.entries(given).some(
      ([known, knownScopes]) =>
        isDeepStrictEqual(readScheme(old, known), readScheme(current, name)) &&
        [scopes].flat().every(scope => [knownScopes].flat().includes(scope)),
    ),
  )

/** The members of a scheme that decide what a caller has to send. */
function readScheme(root: DocumentNode, name: string): Members {
  const scheme = ['components', 'securitySchemes', name].reduce<DocumentNode | undefined>(
    (node, part) => node && findNode(node, part),
    root,
  )
  const { type, in: location, name: field, scheme: kind } = scheme === undefined ? {} : readMembers(scheme)
  return { type, location, field, kind: typeof kind === 'string' ? kind.toLowerCase() : kind }
}
