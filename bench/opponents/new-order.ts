// Parses the bodies of new orders and of new items.

import { Fault, type Read, type ReadField, readInteger, readObject, readText, typeName } from './fields.ts'

export interface Line {
  readonly product: number
  readonly quantity: number
}

export interface Order {
  readonly number: string
  readonly note: string
  readonly lines: readonly Line[]
}

export interface Item {
  readonly name: string
  readonly note: string
  readonly amount: number
}

const most = 1000

/** The order, or its errors. `existing`: the keys of products that exist. */
export const readOrder = (body: unknown, existing: ReadonlySet<unknown>): Read<Order> =>
  readObject(body, field => ({
    number: field('number', value => readText(value, 20)),
    note: readNote(field),
    lines: field('lines', value => readLines(value, existing), []),
  }))

/** The products that a body refers to, as far as its lines are valid. */
export function listProducts(body: unknown): readonly number[] {
  const lines = (body as { readonly lines?: unknown } | null)?.lines
  if (!Array.isArray(lines)) return []
  return lines.slice(0, most).flatMap(line => {
    const product = Number(line?.product)
    return Number.isSafeInteger(product) ? product : []
  })
}

function readLines(value: unknown, existing: ReadonlySet<unknown>): readonly Line[] {
  const lines = readList(value, body => {
    const key = (body as { readonly id?: unknown } | null)?.id ?? null
    // A new order has no lines that its body could name.
    if (key !== null) return { errors: { id: [`Invalid pk "${key}" - object does not exist.`] } }
    return readObject(body, field => ({
      product: field('product', product => readProduct(product, existing)),
      quantity: field('quantity', quantity => readInteger(quantity, 1, 1000)),
    }))
  })
  if ('errors' in lines) throw new Fault(...lines.errors)
  return lines.values
}

function readProduct(value: unknown, existing: ReadonlySet<unknown>): number {
  const key = typeof value === 'string' && /^\s*[-+]?\d{1,30}\s*$/.test(value) ? Number(value) : value
  if (typeof key !== 'number') throw new Fault(`Incorrect type. Expected pk value, received ${typeName(value)}.`)
  if (!existing.has(key)) throw new Fault(`Invalid pk "${key}" - object does not exist.`)
  return key
}

/** The items of an array, or their errors, in which right items are `{}`. Throws Fault if it is not an array of items. */
export const readItems = (body: unknown): ReadList<Item> =>
  readList(body, item =>
    readObject(item, field => ({
      name: field('name', value => readText(value, 100)),
      note: readNote(field),
      amount: field('amount', value => readInteger(value, 0, 1_000_000)),
    })),
  )

type ReadList<Value> = { readonly values: readonly Value[] } | { readonly errors: readonly unknown[] }

function readList<Value>(body: unknown, read: (item: unknown) => Read<Value>): ReadList<Value> {
  if (!Array.isArray(body)) throw new Fault(`Expected a list of items but got type "${typeName(body)}".`)
  if (body.length > most) throw new Fault(`Ensure this field has no more than ${most} elements.`)
  const values: Value[] = []
  let errors: unknown[] | undefined
  for (const [index, item] of body.entries()) {
    const found = read(item)
    if ('value' in found) values.push(found.value)
    else {
      errors ??= Array.from({ length: body.length }, () => ({}))
      errors[index] = found.errors
    }
  }
  return errors === undefined ? { values } : { errors }
}

const readNote = (field: ReadField): string => field('note', value => readText(value, 200, { blank: true }), '')
