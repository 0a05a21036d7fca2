// Compares an operation of two documents: its parameters, its body, its responses and who may call it.

import { type BreakingChange, createChange } from './breaking-change.ts'
import { compareParameters } from './compare-parameters.ts'
import type { CompareSchemas } from './compare-schemas.ts'
import { compareSecurity } from './compare-security.ts'
import { type DocumentNode, findNode, listNodes, type OperationNode, readMembers } from './document-node.ts'

/** The comparisons of schemas. */
export interface SchemaComparisons {
  readonly request: CompareSchemas
  readonly response: CompareSchemas
}

export const compareOperations = (
  old: OperationNode,
  current: OperationNode,
  schemas: SchemaComparisons,
): readonly BreakingChange[] => [
  ...compareIds(old.operation, current.operation),
  ...compareSecurity(old, current),
  ...compareParameters(old, current, schemas.request),
  ...compareBodies(old.operation, current.operation, schemas.request),
  ...compareResponses(old.operation, current.operation, schemas.response),
]

// Generated clients name their functions after the ids.
function compareIds(old: DocumentNode, current: DocumentNode): readonly BreakingChange[] {
  const [before, after] = [readMembers(old).operationId, readMembers(current).operationId]
  return before === undefined || before === after
    ? []
    : [createChange(current, `has another operationId: it was ${before} and is now ${after}`)]
}

function compareBodies(old: DocumentNode, current: DocumentNode, compare: CompareSchemas): readonly BreakingChange[] {
  const [before, after] = [findNode(old, 'requestBody'), findNode(current, 'requestBody')]
  const isRequired = (body: DocumentNode | undefined) => body !== undefined && readMembers(body).required === true
  const required = isRequired(after) && !isRequired(before) ? [createChange(after!, 'is now required')] : []
  if (before === undefined) return required
  if (after === undefined) return [createChange(before, 'was removed')]
  return [...required, ...compareContent(before, after, compare)]
}

/** Compares the schemas of the media types. */
function compareContent(old: DocumentNode, current: DocumentNode, compare: CompareSchemas): readonly BreakingChange[] {
  const after = new Map(listNodes(findNode(current, 'content')))
  return listNodes(findNode(old, 'content')).flatMap(([mediaType, node]) => {
    const now = after.get(mediaType)
    if (now === undefined) return [createChange(node, 'was removed')]
    return compareSchema(node, now, compare)
  })
}

function compareSchema(old: DocumentNode, current: DocumentNode, compare: CompareSchemas): readonly BreakingChange[] {
  const [before, after] = [findNode(old, 'schema'), findNode(current, 'schema')]
  // Without a schema, every value is allowed.
  const any = (node: DocumentNode) => ({ ...node, value: {} })
  return before === undefined && after === undefined ? [] : compare(before ?? any(old), after ?? any(current))
}

// Clients treat an unknown error by the first digit of its status (RFC 9110 §15).
const isError = (status: string): boolean => /^[45]|^default$/.test(status)

function compareResponses(
  old: DocumentNode,
  current: DocumentNode,
  compare: CompareSchemas,
): readonly BreakingChange[] {
  const [before, after] = [listNodes(findNode(old, 'responses')), listNodes(findNode(current, 'responses'))]
  const [were, are] = [new Map(before), new Map(after)]
  return [
    ...before.flatMap(([status, response]) => {
      const now = are.get(status)
      if (now === undefined) return isError(status) ? [] : [createChange(response, 'was removed')]
      return [...compareHeaders(response, now, compare), ...compareContent(response, now, compare)]
    }),
    ...after.flatMap(([status, response]) =>
      were.has(status) || isError(status) ? [] : [createChange(response, 'is a new status of a success')],
    ),
  ]
}

function compareHeaders(old: DocumentNode, current: DocumentNode, compare: CompareSchemas): readonly BreakingChange[] {
  const after = new Map(listNodes(findNode(current, 'headers')).map(([name, node]) => [name.toLowerCase(), node]))
  return listNodes(findNode(old, 'headers')).flatMap(([name, header]) => {
    const now = after.get(name.toLowerCase())
    if (now === undefined) return [createChange(header, 'was removed')]
    const mayBeAbsent = readMembers(header).required === true && readMembers(now).required !== true
    return [...(mayBeAbsent ? [createChange(now, 'may now be absent')] : []), ...compareSchema(header, now, compare)]
  })
}
