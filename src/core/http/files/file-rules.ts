import type { FileStore } from './file-store.ts'
import type { ImageSize } from './image-size.ts'

/** The store of a field's files, and the limits that they must keep. */
export interface FileRules {
  readonly store: FileStore
  /** The accepted types, such as `image/*`; undefined for every type. */
  readonly types: readonly string[] | undefined
  /** In bytes. */
  readonly maxSize: number
  /** The largest image; undefined for files of any kind. */
  readonly maxImage: ImageSize | undefined
  /** Seconds for which signed URLs are valid; undefined if URLs are not signed. */
  readonly signedFor: number | undefined
}
