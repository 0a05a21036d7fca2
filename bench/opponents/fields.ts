// Reads the fields of request bodies by hand: every field is validated, and each invalid one gets its error.

/** The errors of a body by field. */
export type Errors = Readonly<Record<string, unknown>>

/** The values of a body, or its errors. */
export type Read<Value> = { readonly value: Value } | { readonly errors: Errors }

/** The errors of a field: texts, or the errors of the items of a list. */
export class Fault extends Error {
  readonly errors: readonly unknown[]
  constructor(...errors: readonly unknown[]) {
    super('invalid')
    this.errors = errors
  }
}

/** Reads the value of a field; without `absent`, the field is required. Returns undefined if the field gets an error. */
export type ReadField = <Value>(name: string, read: (value: unknown) => Value, absent?: Value) => Value

/** Reads the fields of an object with `read`. */
export function readObject<Value>(body: unknown, read: (field: ReadField) => Value): Read<Value> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { errors: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${typeName(body)}.`] } }
  const given = body as Readonly<Record<string, unknown>>
  let errors: Record<string, unknown> | undefined
  const value = read((name, readValue, absent) => {
    try {
      if (!Object.hasOwn(given, name)) {
        if (absent === undefined) throw new Fault('This field is required.')
        return absent
      }
      if (given[name] === null) throw new Fault('This field may not be null.')
      return readValue(given[name])
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      errors ??= {}
      errors[name] = error.errors
      return undefined as never
    }
  })
  return errors === undefined ? { value } : { errors }
}

export function readText(value: unknown, longest: number, { trim = true, blank = false } = {}): string {
  if (typeof value !== 'string' && !Number.isSafeInteger(value)) throw new Fault('Not a valid string.')
  const text = trim ? String(value).trim() : String(value)
  if (text === '' && !blank) throw new Fault('This field may not be blank.')
  if (text.includes('\0')) throw new Fault('Null characters are not allowed.')
  if (!text.isWellFormed()) throw new Fault('Not a valid string.')
  if (text.length > longest && [...text].length > longest)
    throw new Fault(`Ensure this field has no more than ${longest} characters.`)
  return text
}

export function readInteger(value: unknown, least: number, most: number): number {
  const number = typeof value === 'string' && /^\s*[-+]?\d{1,30}\s*$/.test(value) ? Number(value) : value
  if (!Number.isInteger(number)) throw new Fault('A valid integer is required.')
  if ((number as number) > most) throw new Fault(`Ensure this value is less than or equal to ${most}.`)
  if ((number as number) < least) throw new Fault(`Ensure this value is greater than or equal to ${least}.`)
  return number as number
}

/** The name of the type of a JSON value in error messages. */
export function typeName(value: unknown): string {
  if (value === null) return 'NoneType'
  if (Array.isArray(value)) return 'list'
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float'
  return { string: 'str', boolean: 'bool' }[typeof value as string] ?? 'dict'
}
