// The HTML of answers that come again unchanged, kept by their JSON: to write a list as a table and as coloured JSON is
// most of what a page costs.

import { createBoundedMap } from '../bounded-map.ts'

export interface KeptHtml {
  /**
   * What `make` made of this JSON before under this name, else what it makes now: HTML, or data with HTML in it. Without
   * JSON, nothing is kept.
   */
  of<Made>(json: string | undefined, name: string, make: () => Made): Made
}

/** All that is kept together, in bytes. */
const most = 4 * 1024 * 1024
/** The longest JSON of which something is kept, in UTF-16 units. */
export const longestKept = 64 * 1024

export function createKeptHtml(): KeptHtml {
  const kept = createBoundedMap<string, Entry>({
    most,
    sizeOf: (json, { size }) => json.length + size,
  })
  const entryOf = (json: string) => {
    const known = kept.get(json)
    if (known !== undefined) return known
    const entry: Entry = { made: new Map(), size: 0 }
    kept.set(json, entry)
    return entry
  }
  return {
    of(json, name, make) {
      if (json === undefined || json.length > longestKept) return make()
      const before = kept.get(json)?.made.get(name)
      if (before !== undefined) return before as ReturnType<typeof make>
      const made = make()
      const own = name.length + sizeOf(made)
      const entry = entryOf(json)
      entry.made.set(name, made)
      entry.size += own
      kept.grow(own)
      return made
    },
  }
}

interface Entry {
  readonly made: Map<string, unknown>
  size: number
}

// To measure a text also joins the pieces that it was made of, which each page would have to do otherwise.
const sizeOf = (made: unknown): number => Buffer.byteLength(typeof made === 'string' ? made : JSON.stringify(made))
