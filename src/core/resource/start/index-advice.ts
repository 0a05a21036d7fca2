// The line that names a missing index.

/** A declaration that wants an index. */
export interface IndexReason {
  /** The name of the resource. */
  readonly resource: string
  /** The option of the declaration, and the name in it: `filters "author"`. */
  readonly option: string
  readonly name: string
}

/** Formats the advice to create an index with this SQL, for these reasons. */
export function formatAdvice(reasons: readonly IndexReason[], createIndex: string): string {
  const byResource = Map.groupBy(reasons, ({ resource }) => resource)
  const formatted = [...byResource].map(([resource, own]) => `resource "${resource}": ${formatOptions(own)}`)
  return `missing index: ${formatted.join('; ')}: ${createIndex}`
}

const formatOptions = (reasons: readonly IndexReason[]): string =>
  [...Map.groupBy(reasons, ({ option }) => option)]
    .map(([option, own]) => `${option} ${[...new Set(own.map(({ name }) => `"${name}"`))].join(', ')}`)
    .join(', ')
