// A file store keeps the contents of files under random keys. The database refers to them by key (decision 075).

import type { Readable } from 'node:stream'

/** A store of files, such as `folder('data/invoices')`. */
export interface FileStore {
  /** Names the place, so that two stores of one place are the same to the command that removes unused files. */
  readonly place: string
  /**
   * Stores the content under a new key. If the content or the store fails, rejects with that error, and keeps nothing. Rejects
   * with InsufficientStorage if there is no space left, and with ServiceUnavailable if the store cannot be used.
   */
  write(key: string, content: AsyncIterable<Uint8Array>, options: { readonly type: string }): Promise<void>
  /** Opens a file, or a part of it. Rejects with MissingFile, or with ServiceUnavailable. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** Removes a file; does nothing if there is none. Rejects with ServiceUnavailable. */
  remove(key: string): Promise<void>
  /** Lists all files of the store. */
  list(): AsyncIterable<{ readonly key: string; readonly modified: Date }>
  /** The URL at which clients may read the file for a while, without this service; absent if they cannot. */
  createUrl?(key: string, options: { readonly disposition: string; readonly type: string }): Promise<string>
}

/** Positions of bytes; both belong to the range. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** The store has no file under the key. */
export class MissingFile extends Error {
  override name = 'MissingFile'

  constructor(key: string, options?: ErrorOptions) {
    super(`the file store has no file "${key}"`, options)
  }
}
