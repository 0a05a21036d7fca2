// The parts of an OpenAPI document in the order in which its reference shows them: one page per tag, with its operations.

import { formatListTitle, type OpenApiDocument, type Operation, type Tag } from '#core'
import type { Words } from '../html/words.ts'

/** An operation of a page. */
export interface ReferenceOperation {
  /** The id of its section: `list-orders`. */
  readonly anchor: string
  /** In upper case. */
  readonly method: string
  readonly path: string
  readonly operation: Operation
  /** The same operation below the parents of the resource. */
  readonly others: readonly ReferenceOperation[]
}

/** The operations of a tag. */
export interface ReferencePage {
  /** The segment of its URL. */
  readonly slug: string
  readonly tag: string
  readonly title: string
  readonly description: string
  readonly operations: readonly ReferenceOperation[]
}

/** The pages of a document. */
export interface Reference {
  readonly document: OpenApiDocument
  readonly pages: readonly ReferencePage[]
}

const references = new WeakMap<OpenApiDocument, Reference>()

/** Finds the pages of a document, which is in the language of `words`; they are listed once. */
export function findReference(document: OpenApiDocument, words: Words): Reference {
  const existing = references.get(document)
  if (existing !== undefined) return existing
  const reference = createReference(document, words)
  references.set(document, reference)
  return reference
}

function createReference(document: OpenApiDocument, words: Words): Reference {
  const claimSlug = createNames()
  const byTag = Map.groupBy(listOperations(document), ({ operation }) => operation.tags[0] ?? '')
  const tags = new Map(document.tags.map(tag => [tag.name, tag]))
  const names = [...new Set([...tags.keys(), ...byTag.keys()])].filter(name => byTag.has(name))
  return {
    document,
    pages: names.map(tag => ({
      slug: claimSlug(toAnchor(tag) || 'other'),
      tag,
      title: formatTagTitle(tag, tags.get(tag), words),
      description: findDescription(tag, tags.get(tag), words),
      operations: joinOthers(byTag.get(tag)!),
    })),
  }
}

// A generated description says only the name, which is the heading.
function findDescription(tag: string, { description = '' }: Partial<Tag> = {}, words: Words): string {
  return description === words('document.resource', { name: tag.split('/').at(-1)! }) ? '' : description
}

function formatTagTitle(tag: string, { 'x-displayName': name }: Partial<Tag> = {}, words: Words): string {
  if (tag === '' || tag === 'root') return words('reference.api_root')
  const parts = tag.split('/').map(formatListTitle)
  return [...parts.slice(0, -1), typeof name === 'string' ? name : parts.at(-1)!].join(' / ')
}

function listOperations({ paths }: OpenApiDocument): readonly ReferenceOperation[] {
  const claimAnchor = createNames()
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => typeof operation === 'object' && operation !== null && 'responses' in operation)
      .map(([method, operation]) => ({
        anchor: claimAnchor(toAnchor(operation.operationId) || 'operation'),
        method: method.toUpperCase(),
        path,
        operation,
        others: [],
      })),
  )
}

// An operation below a parent does the same as the one without: its path ends with that of the other one.
function joinOthers(operations: readonly ReferenceOperation[]): readonly ReferenceOperation[] {
  const byLength = operations.toSorted((left, right) => left.path.length - right.path.length)
  const findMain = (one: ReferenceOperation): ReferenceOperation | undefined =>
    byLength.find(main => main.method === one.method && isBelowParent(one.path, main.path))
  const others = Map.groupBy(operations, findMain)
  return (others.get(undefined) ?? []).map(main => ({ ...main, others: others.get(main) ?? [] }))
}

const isBelowParent = (path: string, main: string): boolean =>
  main.length > 1 && path.endsWith(main) && path.slice(0, -main.length).endsWith('}')

/** Text as a part of a URL: `listOrders` becomes `list-orders`. */
const toAnchor = (text: string): string =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .toLowerCase()

// A name that is taken gets a number.
function createNames(): (wanted: string) => string {
  const taken = new Set<string>()
  return wanted => {
    let name = wanted
    for (let number = 2; taken.has(name); number++) name = `${wanted}-${number}`
    taken.add(name)
    return name
  }
}
