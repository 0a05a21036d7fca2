// Values that the responses of a service showed: keys by path, values by name, and tags by URL.

/** Values by the name of a member or of a list. */
type Values = Map<string, unknown[]>

/** Collects values from responses. */
export interface KnownValues {
  /** Adds what a JSON body contains. */
  learn(url: string, body: unknown, etag: string | null): void
  /** A value of a member of this name, or the key of an object in the list of this name. */
  find(name: string, index: number): unknown
  /** The segment of a URL after one of this name. */
  findKey(list: string, index: number): unknown
  /** The tag of the representation at a URL. */
  findTag(url: string): string | undefined
}

const maxValues = 60

/** `given`: values that responses do not show. */
export function createKnownValues(given: Readonly<Record<string, readonly unknown[]>> = {}): KnownValues {
  const values: Values = new Map(Object.entries(given).map(([name, known]) => [name, [...known]]))
  const keys: Values = new Map()
  const tags = new Map<string, string>()
  const learnPath = (path: string): void => {
    const segments = path.split('/')
    for (const [index, segment] of segments.entries())
      if (index > 1 && segment !== '' && segments[index - 1] !== '')
        add(keys, segments[index - 1]!, decodeURIComponent(segment))
  }
  const learnBody = (list: string, body: unknown): void => {
    if (Array.isArray(body)) for (const item of body) learnBody(list, item)
    else if (typeof body === 'object' && body !== null)
      for (const [name, value] of Object.entries(body)) {
        if (typeof value === 'string' && /^https?:\/\/[^/]+\//.test(value)) learnPath(new URL(value).pathname)
        else if (typeof value === 'object') learnBody(list, value)
        else add(values, name, value)
        if (keyNames.has(name) && typeof value !== 'object') add(values, list, value)
      }
  }
  const find = (name: string, index: number): unknown => {
    // `category` refers to one of `categories`.
    const stem = name.slice(0, 5)
    const isNear = (each: string) => each === name || (stem.length > 3 && each.startsWith(stem))
    const found = [...keys, ...values].flatMap(([each, known]) => (isNear(each) ? known : []))
    return found[index % found.length]
  }
  return {
    learn(url, body, etag) {
      const path = url.split('?', 1)[0]!
      if (etag !== null) tags.set(path, etag)
      learnBody(path.split('/').findLast(segment => segment !== '') ?? '', body)
    },
    find,
    findKey(list, index) {
      const known = keys.get(list) ?? values.get(list)
      return known === undefined ? find(list, index) : known[index % known.length]
    },
    findTag: url => tags.get(url.split('?', 1)[0]!),
  }
}

function add(values: Values, name: string, value: unknown): void {
  const known = values.get(name) ?? []
  values.set(name, known)
  if (!known.includes(value)) known.push(value)
  if (known.length > maxValues) known.shift()
}

const keyNames = new Set(['id', 'key', 'slug', 'number', 'code', 'username', 'name'])
