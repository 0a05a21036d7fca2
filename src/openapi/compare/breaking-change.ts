import { type DocumentNode, formatPlace } from './document-node.ts'

/** A change of an API that can break its clients. */
export interface BreakingChange {
  /** The JSON pointer to the place in the new document, or in the old one if the new one has no such place. */
  readonly pointer: string
  /** What changed, as the rest of a sentence about the place: `was removed`. */
  readonly message: string
}

export const createChange = (place: DocumentNode, message: string): BreakingChange => ({
  pointer: formatPlace(place),
  message,
})
