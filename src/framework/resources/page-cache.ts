// The pages of lists, kept while nothing is committed: under the URL and the values that decide which rows exist for the
// caller, so that a list that many ask for is read, serialized and linked once (decision 041).

import { createBoundedMap } from '../bounded-map.ts'
import type { Database } from '../database/database.ts'
import { isPromise, type MaybePromise } from '../maybe-promise.ts'

export interface PageCache {
  /**
   * What was kept under this key, if nothing has been committed since it was read; else what `load` reads now. Nothing
   * is kept where the database cannot tell cheaply whether something was committed.
   */
  find<Page>(key: string, load: () => MaybePromise<Loaded<Page>>): MaybePromise<Page>
}

/** A page and its size in UTF-16 units; undefined for a page that is not to be kept. */
export interface Loaded<Page> {
  readonly page: Page
  readonly size: number | undefined
}

/** All pages together, and the largest one that is kept, in UTF-16 units. */
const most = { together: 8 * 1024 * 1024, one: 64 * 1024 }

/** The cache of one API. */
export function createPageCache({ version }: Pick<Database, 'version'>): PageCache {
  if (version === undefined) return { find: (_key, load) => pageOf(load()) }
  const kept = createBoundedMap<string, Entry>({ most: most.together, sizeOf: (key, { size }) => key.length + size })
  return {
    find<Page>(key: string, load: () => MaybePromise<Loaded<Page>>): MaybePromise<Page> {
      const before = version()
      const known = kept.get(key)
      if (known !== undefined && known.version === before) return known.page as Page
      const keep = (loaded: Loaded<Page>): Loaded<Page> => {
        const { page, size } = loaded
        // If it was read from a later version, it only goes out of date sooner.
        if (size !== undefined && size <= most.one) kept.set(key, { version: before, page, size })
        return loaded
      }
      const loading = load()
      return pageOf<Page>(isPromise(loading) ? loading.then(keep) : keep(loading))
    },
  }
}

const pageOf = <Page>(loading: MaybePromise<Loaded<Page>>): MaybePromise<Page> =>
  isPromise(loading) ? loading.then(({ page }) => page) : loading.page

interface Entry {
  readonly version: unknown
  readonly page: unknown
  readonly size: number
}
