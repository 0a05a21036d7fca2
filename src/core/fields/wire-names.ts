// The names of fields on the wire: in bodies, responses, errors, OPTIONS, forms and queries. In the code of the
// application, fields keep the names that it declares.

import { adviseName } from '../base/nearest-name.ts'
import { isDetail } from '../errors/error-tree.ts'
import { type ErrorDetail, type ErrorTree, ValidationError } from '../errors/exceptions.ts'
import type { FieldDefinition, Fields } from './field.ts'
import { formatLabel } from './format-label.ts'

/** The names on the wire: all in camel case, or one by one. */
export type Wire<Name extends string = string> = 'camelCase' | { readonly [N in Name]?: string }

/** A name in camel case: `unitPrice` for `unit_price`. Leading and trailing `_` stay. */
export type CamelCase<Name extends string> = Name extends `${infer Start}_${infer End}`
  ? Start extends ''
    ? `_${CamelCase<End>}`
    : End extends ''
      ? Name
      : `${Start}${Capitalize<CamelCase<End>>}`
  : Name

/** An object with the names on the wire instead of the declared names. */
export type OnWire<Wire, Declared> = Wire extends undefined
  ? Declared
  : { [Name in keyof Declared as WireName<Wire, Name>]: Declared[Name] }

/** The name of a field on the wire. */
export type WireName<Wire, Name> = Wire extends undefined
  ? Name
  : Name extends string
    ? Wire extends 'camelCase'
      ? CamelCase<Name>
      : Wire extends { readonly [N in Name]: infer Other extends string }
        ? Other
        : Name
    : never

export function toCamelCase(name: string): string {
  const at = name.indexOf('_')
  if (at < 0 || (at > 0 && at === name.length - 1)) return name
  const end = toCamelCase(name.slice(at + 1))
  return at === 0 ? `_${end}` : name.slice(0, at) + end.charAt(0).toUpperCase() + end.slice(1)
}

/** The name of a field on the wire. */
export const nameOnWire = (name: string, { wireName }: Pick<FieldDefinition, 'wireName'>): string => wireName ?? name

/** Gives the fields of a resource their names on the wire. Throws for names that are unknown, invalid or used twice. */
export function nameFields(fields: Fields, wire: Wire | undefined): Fields {
  if (wire === undefined) return fields
  if (wire !== 'camelCase' && typeof wire !== 'object')
    throw new Error(`wire: ${JSON.stringify(wire)} is not allowed: write "camelCase", or an object with names by field`)
  const names = wire === 'camelCase' ? {} : wire
  const unknown = Object.keys(names).find(name => !Object.hasOwn(fields, name))
  if (unknown !== undefined)
    throw new Error(`wire: there is no field "${unknown}"${adviseName(unknown, Object.keys(fields))}`)
  const named = Object.entries(fields).map(([name, field]) => {
    const wireName = wire === 'camelCase' ? toCamelCase(name) : Object.hasOwn(names, name) ? names[name]! : name
    return [name, wireName === name ? field : Object.freeze({ ...field, wireName })] as const
  })
  checkWireNames(named.map(([name, field]) => [name, nameOnWire(name, field)]))
  return Object.fromEntries(named)
}

function checkWireNames(names: readonly (readonly [name: string, wireName: string])[]): void {
  const used = new Map<string, string>()
  for (const [name, wireName] of names) {
    if (typeof wireName !== 'string' || !/^[\w$-]+$/.test(wireName) || wireName === '__proto__')
      throw new Error(`wire: field "${name}" cannot be named ${JSON.stringify(wireName)}: use letters, digits, _ and -`)
    const other = used.get(wireName)
    if (other !== undefined)
      throw new Error(`wire: the fields "${other}" and "${name}" would both be named "${wireName}": rename one`)
    used.set(wireName, name)
  }
}

/** The fields by their names on the wire, with the labels of their declared names: for OPTIONS and pages. */
export const listOnWire = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const label = field.wireName === undefined ? field.label : formatLabel(name, field)
      return [nameOnWire(name, field), label === field.label ? field : { ...field, label }]
    }),
  )

/** Runs hooks, whose errors name fields as declared, and renames the fields in their errors. */
export async function renameErrors<Result>(fields: Fields, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof ValidationError) || !Object.values(fields).some(({ wireName }) => wireName)) throw error
    throw new ValidationError(renameKeys(error.errors, fields))
  }
}

function renameKeys(errors: ErrorTree<ErrorDetail>, fields: Fields): ErrorTree<ErrorDetail> {
  if (Array.isArray(errors) || isDetail(errors)) return errors
  return Object.fromEntries(
    Object.entries(errors).map(([name, error]) => [
      Object.hasOwn(fields, name) ? nameOnWire(name, fields[name]!) : name,
      error,
    ]),
  )
}
