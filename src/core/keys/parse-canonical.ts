import { ValidationError } from '../errors/exceptions.ts'
import type { Identifier, KeyValue } from './key.ts'

/** Parses a text that must be the canonical spelling of its value; undefined if `read` rejects it. */
export function parseCanonical(text: string, read: Identifier['read']): KeyValue | undefined {
  try {
    const value = read(text)
    return String(value) === text ? value : undefined
  } catch (error) {
    if (error instanceof ValidationError) return undefined
    throw error
  }
}
