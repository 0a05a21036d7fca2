// Caches HTML by the JSON of the response that it shows. Most of the cost of a page is rendering a list as a table and as
// coloured JSON.

import { createBoundedMap, formatJson } from '#core'

export interface HtmlCache {
  /**
   * Returns the value cached for this JSON and name. If there is none, calls `create` and caches its result: HTML, or
   * data that contains HTML. If the JSON is undefined or too long, the result is not cached.
   */
  getOrCreate<Value>(json: string | undefined, name: string, create: () => Value): Value
}

/** The maximum size of all entries together, in bytes. */
const maxSize = 4 * 1024 * 1024
/** The longest JSON that is cached, in UTF-16 units. */
export const maxJsonLength = 64 * 1024

export function createHtmlCache(): HtmlCache {
  const entries = createBoundedMap<string, Entry>({
    maxSize,
    sizeOf: (json, { size }) => json.length + size,
  })
  const getOrCreateEntry = (json: string) => {
    const cached = entries.get(json)
    if (cached !== undefined) return cached
    const entry: Entry = { values: new Map(), size: 0 }
    entries.set(json, entry)
    return entry
  }
  return {
    getOrCreate(json, name, create) {
      if (json === undefined || json.length > maxJsonLength) return create()
      const cached = entries.get(json)?.values.get(name)
      if (cached !== undefined) return cached as ReturnType<typeof create>
      const value = create()
      const size = name.length + measureSize(value)
      const entry = getOrCreateEntry(json)
      entry.values.set(name, value)
      entry.size += size
      entries.grow(size)
      return value
    },
  }
}

interface Entry {
  readonly values: Map<string, unknown>
  size: number
}

// Measuring also flattens the concatenated string; otherwise V8 would do so for each page.
const measureSize = (value: unknown): number => Buffer.byteLength(typeof value === 'string' ? value : formatJson(value))
