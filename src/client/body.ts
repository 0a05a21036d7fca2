// The bodies of requests: JSON, or a form if there are files.

/** The body of a request. */
export const formatBody = (data: unknown): string | FormData | undefined => {
  if (data === undefined || data instanceof FormData) return data
  const form = findForm(data)
  return form === undefined ? JSON.stringify(data) : createForm(form)
}

// A form has its fields at the top, so an envelope around them is left out.
function findForm(data: unknown): object | undefined {
  if (!isObject(data)) return undefined
  const values = Object.values(data)
  if (values.flat().some(isFile)) return data
  return values.length === 1 ? findForm(values[0]) : undefined
}

const isObject = (data: unknown): data is object => typeof data === 'object' && data !== null && !Array.isArray(data)

const isFile = (value: unknown): value is Blob => value instanceof Blob

function createForm(data: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(data))
    for (const item of Array.isArray(value) ? value : [value]) {
      if (isFile(item)) form.append(name, item)
      else if (item !== undefined) form.append(name, formatValue(item))
    }
  return form
}

const formatValue = (value: unknown): string =>
  value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
