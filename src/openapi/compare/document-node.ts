// A value in an OpenAPI document and the path to it. References are followed, so a node is at the place of what is referred to.

// Unlike decodeURIComponent, it leaves a malformed `%` as it is.
import { unescape as decodePercents } from 'node:querystring'
import { isObject } from '#core'
import { formatPointer, parsePointer } from '../json-pointer.ts'

/** An object of a document. */
export type Members = Readonly<Record<string, unknown>>

export interface DocumentNode {
  readonly document: Members
  readonly path: readonly (string | number)[]
  readonly value: unknown
}

/** An operation, and what surrounds it. */
export interface OperationNode {
  readonly root: DocumentNode
  readonly item: DocumentNode
  readonly operation: DocumentNode
}

/** The whole document. */
export const createRoot = (document: Members): DocumentNode => ({ document, path: [], value: document })

/** The members of an object; none for another value. */
export const readMembers = ({ value }: Pick<DocumentNode, 'value'>): Members => (isObject(value) ? value : {})

/** Finds a member or an item; undefined if there is none. */
export function findNode(node: DocumentNode, name: string | number): DocumentNode | undefined {
  const { value } = node
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return follow({ ...node, path: [...node.path, name], value: (value as Members)[name] })
}

/** Lists the members of an object. */
export const listNodes = (node: DocumentNode | undefined): readonly (readonly [name: string, node: DocumentNode])[] =>
  node === undefined ? [] : Object.keys(readMembers(node)).map(name => [name, findNode(node, name)!] as const)

/** The JSON pointer to the node. */
export const formatPlace = ({ path }: DocumentNode): string => formatPointer(path)

/** The node that a reference names; keywords beside the reference are added. Other documents are not read. */
function follow(node: DocumentNode, followed: readonly string[] = []): DocumentNode {
  const { $ref, ...siblings } = readMembers(node)
  if (typeof $ref !== 'string' || !$ref.startsWith('#') || followed.includes($ref)) return node
  const path = parsePointer(decodePercents($ref.slice(1)))
  const value = path.reduce<unknown>((part, name) => (part as Members | undefined)?.[name], node.document)
  const target = follow({ ...node, path, value }, [...followed, $ref])
  return Object.keys(siblings).length === 0 ? target : { ...target, value: { ...readMembers(target), ...siblings } }
}
