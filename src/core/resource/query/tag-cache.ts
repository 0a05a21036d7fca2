// Caches the tags of representations until the next commit. A client that has the current representation gets 304 before
// the database builds its JSON. A tag needs little memory, so far more tags are cached than pages (decision 067).

import type { IncomingHttpHeaders } from 'node:http'
import { createBoundedMap } from '../../base/bounded-map.ts'
import { isPromise, type MaybePromise } from '../../base/maybe-promise.ts'
import type { Database } from '../../database/database.ts'
import { type ApiResponse, JsonText, UnreadJson, type Validators } from '../../http/response.ts'
import { type Loaded, toPage } from './page-cache.ts'

export interface TagCache {
  /**
   * Returns the response that `load` reads. If its tag is known, it is not computed again; and if the request has that tag,
   * the body is read when it is needed. `key` identifies the representation: its URL, and the values on which it depends.
   */
  find(
    headers: IncomingHttpHeaders,
    key: string,
    load: () => MaybePromise<Loaded<ApiResponse>>,
  ): MaybePromise<Loaded<ApiResponse>>
}

// In UTF-16 units.
const maxTotalSize = 2 * 1024 * 1024
const entryOverhead = 100

interface Entry {
  readonly version: unknown
  readonly tag: string
  readonly length: number
  readonly validators: Validators
}

export function createTagCache({ version }: Pick<Database, 'version'>): TagCache {
  if (version === undefined) return { find: (_headers, _key, load) => load() }
  const tags = createBoundedMap<string, Entry>({ maxSize: maxTotalSize, sizeOf: key => key.length + entryOverhead })
  return {
    find({ 'if-none-match': field }, key, load) {
      const versionBefore = version()
      const cached = tags.get(key)
      const known = cached?.version === versionBefore ? cached : undefined
      if (known !== undefined && field?.includes(known.tag)) return { page: createUnread(known, load), size: undefined }
      const store = (loaded: Loaded<ApiResponse>): Loaded<ApiResponse> => {
        const { page, size } = loaded
        const { body, validators } = page
        if (size === undefined || !(body instanceof JsonText) || validators === undefined) return loaded
        // After a commit during the read, the text may be newer than the tag.
        if (known !== undefined && version() === versionBefore) body.adoptTag(known.tag)
        else tags.set(key, { version: versionBefore, tag: body.findTag(), length: body.text.length, validators })
        return loaded
      }
      const loading = load()
      return isPromise(loading) ? loading.then(store) : store(loading)
    },
  }
}

function createUnread({ tag, length, validators }: Entry, load: () => MaybePromise<Loaded<ApiResponse>>): ApiResponse {
  return { status: 200, body: new UnreadJson({ tag, length, read: () => toPage(load()) }), validators }
}
