import { hash } from 'node:crypto'

/** PostgreSQL cuts longer names, so two of them could be the same. */
const maxBytes = 63

/** The name of an index or a check: its parts with underscores; a long one ends with a digest instead. */
export function formatName(...parts: readonly string[]): string {
  const name = parts.join('_')
  if (Buffer.byteLength(name) <= maxBytes) return name
  const digest = `_${hash('sha256', name).slice(0, 8)}`
  let kept = name
  while (Buffer.byteLength(kept) > maxBytes - digest.length) kept = [...kept].slice(0, -1).join('')
  return kept + digest
}
