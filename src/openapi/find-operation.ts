import type { OpenApiDocument, Operation } from '#core'

/** An operation, and the path to it in its document. */
export interface OperationPath {
  readonly operation: Operation
  readonly path: readonly string[]
}

/** Finds the operation of a request; undefined if the document has none. Of several paths, it is the one that the router finds. */
export function findOperation(document: OpenApiDocument, path: string, method: string): OperationPath | undefined {
  const segments = path.split('/')
  const [template] = Object.keys(document.paths)
    .filter(each => matchesTemplate(each, segments))
    .toSorted((a, b) => (formatRank(a) < formatRank(b) ? -1 : 1))
  const item = template === undefined ? undefined : document.paths[template]!
  const name = method.toLowerCase()
  const operation = item?.[name]
  return operation && { operation, path: ['paths', template!, name] }
}

/** Whether the segments of a path match a template, such as `/users/{id}/`. */
export function matchesTemplate(template: string, segments: readonly string[]): boolean {
  const parts = template.split('/')
  return (
    parts.length === segments.length &&
    parts.every((part, index) => (isParameter(part) ? segments[index] !== '' : part === segments[index]))
  )
}

const isParameter = (part: string): boolean => part.startsWith('{')

// At each place, a literal segment wins over a parameter.
const formatRank = (template: string): string =>
  template
    .split('/')
    .map(part => (isParameter(part) ? '1' : '0'))
    .join('')
