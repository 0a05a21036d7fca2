// Caches the documents that the default layout makes. A page with the same parts as the last page of its name is the same document, and
// comparing the parts costs a fraction of writing and encoding them.

import { createBoundedMap } from '#core'
import { layout } from './layout.ts'
import { joinPage, type PageInPieces } from './render-frame.ts'

export interface DocumentCache {
  /** The document of this page, in UTF-8 if it is cached. The cache has one document of each name. */
  getOrCreate(name: string, page: PageInPieces): string | Buffer
}

interface Entry {
  readonly page: PageInPieces
  readonly document: Buffer
}

/** The maximum size of all documents and their parts together, in bytes. */
const maxSize = 4 * 1024 * 1024

export function createDocumentCache(): DocumentCache {
  const entries = createBoundedMap<string, Entry | 'requested once'>({
    maxSize,
    // The document, and the strings that it was made of.
    sizeOf: (name, entry) => name.length + (entry === 'requested once' ? entry.length : 2 * entry.document.length),
  })
  return {
    getOrCreate(name, page) {
      const cached = entries.get(name)
      // Most pages of objects are not requested again.
      if (cached === undefined) {
        entries.set(name, 'requested once')
        return layout(joinPage(page))
      }
      if (cached !== 'requested once' && isEqual(cached.page, page)) return cached.document
      const document = Buffer.from(layout(joinPage(page)))
      entries.set(name, { page, document })
      return document
    },
  }
}

// The parts are texts, functions, and objects and arrays of parts.
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((part, index) => isEqual(part, other[index]))
  if (!isCompound(one) || !isCompound(other)) return false
  const names = Object.keys(one)
  return names.length === Object.keys(other).length && names.every(name => isEqual(one[name], other[name]))
}

const isCompound = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
