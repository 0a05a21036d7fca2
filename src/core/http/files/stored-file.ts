import type { FileStore } from './file-store.ts'

/** A file as its column stores it, as JSON. */
export interface StoredFile {
  /** The key in the file store. */
  readonly key: string
  /**
   * The name that the client gave, without directories and control characters, at most 255 bytes in UTF-8. It never names a file
   * on the server.
   */
  readonly name: string
  /** `type/subtype`, found in the content. */
  readonly type: string
  /** In bytes. */
  readonly size: number
}

/** A file as responses show it. */
export interface ShownFile extends Omit<StoredFile, 'key'> {
  readonly url: string
}

/** A file that arrived with the request. It is in the store, and is removed unless the write is committed. */
export class UploadedFile {
  readonly file: StoredFile
  readonly #store: FileStore
  #isKept = false

  constructor(file: StoredFile, store: FileStore) {
    this.file = file
    this.#store = store
  }

  /** The database now refers to the file. */
  keep(): void {
    this.#isKept = true
  }

  async removeUnlessKept(): Promise<void> {
    if (!this.#isKept) await this.#store.remove(this.file.key)
  }
}
