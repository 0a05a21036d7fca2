// Zod schemas for the options of this layer, and the check that reports the first wrong option.

import { isIP } from 'node:net'
import * as z from 'zod'

/** Parses options. Throws an error at start that names the plugin, the option and the fix. */
export function parseOptions<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  options: unknown,
): z.output<Schema> {
  // `jitless`, because generating code for the schema takes longer than one validation.
  const result = schema.safeParse(options, { jitless: true })
  if (result.success) return result.data
  throw new Error(`${name}: ${formatIssue(result.error.issues[0]!, options)}`)
}

function formatIssue(issue: z.core.$ZodIssue, options: unknown): string {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') return `unknown option "${[...path, issue.keys[0]].join('.')}"`
  const value = path.reduce((holder: unknown, part) => (holder as Record<string, unknown> | undefined)?.[part], options)
  return `option "${path.join('.')}" ${issue.message}, not ${JSON.stringify(value)}`
}

export const positiveInteger = z.int('must be a whole number').min(1, 'must be 1 or more')

export const positiveNumber = z.number('must be a number').positive('must be greater than 0')

/** A list, or a string of values that are separated by commas. */
export const list = <Item extends z.ZodType>(item: Item) =>
  z.preprocess(
    (value: string | readonly z.input<Item>[]) => (typeof value === 'string' ? splitList(value) : value),
    z.array(item),
  )

export const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a header name')

/** An origin of a web page (RFC 6454 §6.2). */
export const origin = z
  .string()
  .refine(
    value => /^https?:/.test(value) && URL.parse(value)?.origin === value,
    'must be origins such as https://app.example.org',
  )

/** The address of a proxy, or a network of proxies. */
export const proxy = z.string().refine(isAddressOrNetwork, 'must be IP addresses or networks such as 10.0.0.0/8')

export const urlPath = z.string().regex(/^\/[^\s?#]*$/, 'must be a path that begins with "/"')

export const anyFunction = <Type>() => z.custom<Type>(value => typeof value === 'function', 'must be a function')

const splitList = (text: string): string[] =>
  text
    .split(',')
    .map(item => item.trim())
    .filter(Boolean)

function isAddressOrNetwork(text: string): boolean {
  const [address = '', prefixLength, ...extra] = text.split('/')
  const maxPrefixLength = isIP(address) === 4 ? 32 : 128
  return (
    isIP(address) > 0 &&
    extra.length === 0 &&
    (prefixLength === undefined || (/^\d{1,3}$/.test(prefixLength) && Number(prefixLength) <= maxPrefixLength))
  )
}
