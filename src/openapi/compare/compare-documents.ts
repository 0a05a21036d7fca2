// Compares two OpenAPI documents of an API, and finds what can break a client of the old one (decision 081). Additions are
// compatible: a client ignores members that it does not know, and sends nothing new.

import { type BreakingChange, createChange } from './breaking-change.ts'
import { compareOperations } from './compare-operations.ts'
import { createSchemaComparison } from './compare-schemas.ts'
import { createRoot, type DocumentNode, findNode, listNodes, type Members } from './document-node.ts'

/** Lists the breaking changes from one document to the next, without duplicates, in the order of the old document. */
export function findBreakingChanges(old: Members, current: Members): readonly BreakingChange[] {
  const [before, after] = [createRoot(old), createRoot(current)]
  const schemas = { request: createSchemaComparison('request'), response: createSchemaComparison('response') }
  const paths = new Map(listPaths(after).map(([path, item]) => [withoutNames(path), item]))
  const changes = listPaths(before).flatMap(([path, item]) => {
    const now = paths.get(withoutNames(path))
    return now === undefined
      ? [createChange(item, 'was removed')]
      : comparePaths({ root: before, item }, { root: after, item: now }, schemas)
  })
  return [...new Map(changes.map(change => [`${change.pointer} ${change.message}`, change])).values()]
}

interface PathItem {
  readonly root: DocumentNode
  readonly item: DocumentNode
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']

function comparePaths(
  before: PathItem,
  after: PathItem,
  schemas: Parameters<typeof compareOperations>[2],
): readonly BreakingChange[] {
  return methods.flatMap(method => {
    const [old, current] = [findNode(before.item, method), findNode(after.item, method)]
    if (old === undefined) return []
    if (current === undefined) return [createChange(old, 'was removed')]
    return compareOperations({ ...before, operation: old }, { ...after, operation: current }, schemas)
  })
}

const listPaths = (root: DocumentNode) => listNodes(findNode(root, 'paths')).filter(([path]) => path.startsWith('/'))

// The names of parameters in a path are not part of a URL.
const withoutNames = (path: string): string => path.replaceAll(/\{[^}]*\}/g, '{}')
