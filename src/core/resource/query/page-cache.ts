// Caches pages of lists, and objects, until the next commit. The cache key is the URL and the values of the row filters, so callers who
// see the same rows share a page, which is read and serialized once (decisions 017 and 041).

import { createBoundedMap } from '../../base/bounded-map.ts'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import type { Database } from '../../database/database.ts'

export interface PageCache {
  /**
   * Returns the cached page if nothing has been committed since it was read; otherwise the page that `load` reads. If the
   * database cannot cheaply report commits, nothing is cached.
   */
  find<Page>(key: string, load: () => MaybePromise<Loaded<Page>>): MaybePromise<Page>
}

/** A page and its size in UTF-16 units; undefined if the page must not be cached. */
export interface Loaded<Page> {
  readonly page: Page
  readonly size: number | undefined
}

export const toPage = <Page>(loading: MaybePromise<Loaded<Page>>): MaybePromise<Page> =>
  loading instanceof Promise ? loading.then(({ page }) => page) : loading.page

// In UTF-16 units.
const maxTotalSize = 8 * 1024 * 1024
const maxEntrySize = 64 * 1024

export function createPageCache({ version }: Pick<Database, 'version'>): PageCache {
  if (version === undefined) return { find: (_key, load) => toPage(load()) }
  const pages = createBoundedMap<string, Entry>({ maxSize: maxTotalSize, sizeOf: (key, { size }) => key.length + size })
  return {
    find<Page>(key: string, load: () => MaybePromise<Loaded<Page>>): MaybePromise<Page> {
      const versionBefore = version()
      const cached = pages.get(key)
      if (cached !== undefined && cached.version === versionBefore) return cached.page as Page
      const store = (loaded: Loaded<Page>): Loaded<Page> => {
        const { page, size } = loaded
        // After a commit during the read, the page may be newer than this version: it is reloaded once unnecessarily.
        if (size !== undefined && size <= maxEntrySize) pages.set(key, { version: versionBefore, page, size })
        return loaded
      }
      const loading = load()
      return toPage<Page>(loading instanceof Promise ? loading.then(store) : store(loading))
    },
  }
}

interface Entry {
  readonly version: unknown
  readonly page: unknown
  readonly size: number
}
