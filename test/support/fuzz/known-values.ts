// What a service has, as its responses show it: keys by path, values by name, and tags by URL.

/** Collects values from responses. */
export interface KnownValues {
  /** Adds what a JSON body contains. */
  learn(url: string, body: unknown, etag: string | null): void
  /** A value of a member of this name, or the key of an object in the list of this name. */
  find(name: string, index: number): unknown
  /** The tag of the representation at a URL. */
  findTag(url: string): string | undefined
}

const maxValues = 60

export function createKnownValues(): KnownValues {
  const values = new Map<string, unknown[]>()
  const tags = new Map<string, string>()
  const add = (name: string, value: unknown): void => {
    const known = values.get(name) ?? []
    values.set(name, known)
    if (!known.includes(value)) known.push(value)
    if (known.length > maxValues) known.shift()
  }
  const learnPath = (path: string): void => {
    const segments = path.split('/')
    for (const [index, segment] of segments.entries())
      if (index > 1 && segment !== '' && segments[index - 1] !== '')
        add(segments[index - 1]!, decodeURIComponent(segment))
  }
  const learnBody = (list: string, body: unknown): void => {
    if (Array.isArray(body)) for (const item of body) learnBody(list, item)
    else if (typeof body === 'object' && body !== null)
      for (const [name, value] of Object.entries(body)) {
        if (typeof value === 'string' && /^https?:\/\/[^/]+\//.test(value)) learnPath(new URL(value).pathname)
        else if (typeof value === 'object') learnBody(list, value)
        else add(name, value)
        if (keyNames.has(name) && typeof value !== 'object') add(list, value)
      }
  }
  return {
    learn(url, body, etag) {
      const path = url.split('?', 1)[0]!
      if (etag !== null) tags.set(path, etag)
      learnBody(path.split('/').findLast(segment => segment !== '') ?? '', body)
    },
    find(name, index) {
      // `category` refers to one of `categories`.
      const stem = name.slice(0, 5)
      const names = [name, ...[...values.keys()].filter(each => stem.length > 3 && each.startsWith(stem))]
      const found = names.flatMap(each => values.get(each) ?? [])
      return found[index % found.length]
    },
    findTag: url => tags.get(url.split('?', 1)[0]!),
  }
}

const keyNames = new Set(['id', 'key', 'slug', 'number', 'code', 'username', 'name'])
