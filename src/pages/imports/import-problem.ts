// Why a file cannot be imported.

import type { PageKey } from '../messages/page-messages.ts'

/** A file that cannot be read; its text is for the person who has sent it. */
export class ImportProblem extends Error {
  override name = 'ImportProblem'
  readonly key: PageKey
  readonly values: Readonly<Record<string, string | number>>
  constructor(key: PageKey, values: Readonly<Record<string, string | number>> = {}) {
    super(key)
    this.key = key
    this.values = values
  }
}

/** The largest file, in bytes. */
export const maxFileSize = 5 * 1024 * 1024
/** The largest content of a workbook, in bytes once it is inflated. */
export const maxInflatedSize = 64 * 1024 * 1024
export const maxColumns = 200
