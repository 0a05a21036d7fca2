// The HTML of answers that come again unchanged, kept by their JSON: to write a list as a table and as coloured JSON is
// most of what a page costs.

export interface KeptHtml {
  /** What `make` made of this JSON before under this name, else what it makes now: HTML, or data with HTML in it. */
  of<Made>(json: string, name: string, make: () => Made): Made
}

/** All that is kept together, and the longest answer of which something is, in bytes. */
const most = { together: 4 * 1024 * 1024, one: 64 * 1024 }

export function createKeptHtml(): KeptHtml {
  const kept = new Map<string, Map<string, unknown>>()
  let size = 0
  return {
    of(json, name, make) {
      const known = kept.get(json)
      const before = known?.get(name)
      if (before !== undefined) return before as ReturnType<typeof make>
      const made = make()
      if (json.length > most.one) return made
      const own = json.length + name.length + sizeOf(made)
      if (size + own > most.together) {
        kept.clear()
        size = 0
      }
      size += own
      kept.set(json, (kept.get(json) ?? new Map<string, unknown>()).set(name, made))
      return made
    },
  }
}

// To measure a text also joins the pieces that it was made of, which each page would have to do otherwise.
const sizeOf = (made: unknown): number => Buffer.byteLength(typeof made === 'string' ? made : JSON.stringify(made))
