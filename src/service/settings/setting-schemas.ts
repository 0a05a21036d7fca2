// Zod schemas for the values of settings, with their error messages. Environment variables and command-line flags are
// strings, so a list may also be a comma-separated string.

import * as z from 'zod'
import { maxLifetime } from '#accounts'
import { type Identify, isRate, parseHost } from '#core'
import { anyFunction, headerName, list, proxy } from '#server'

export const hostPattern = z
  .string()
  .refine(
    host => host === '*' || parseHost(host.replace(/^\./, '')) !== undefined,
    'must be host names, without scheme or port',
  )

export const path = z
  .string()
  .regex(/^\/?[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*\/?$/, 'must be a path of letters, digits and . _ ~ -')
  .transform(value => `/${value.replace(/^\/|\/$/g, '')}/`)

export const databaseUrl = z
  .string()
  .regex(/^(?:sqlite:.+|postgres(?:ql)?:\/\/.+)$/s, 'must be sqlite:<path> or postgres://…')

export const publicUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine(value => !/[?#]/.test(value), 'must have no query and no fragment')
  .transform(value => new URL(value).href)

export const secret = z.string().min(32, 'must have 32 characters or more')

export const seconds = (min: number) =>
  z
    .int('must be a whole number of seconds')
    .min(min, `must be ${min} or more`)
    .max(maxLifetime, 'must be a hundred years or less')

export const days = z
  .int('must be a whole number of days')
  .min(1, 'must be 1 or more')
  .max(36_500, 'must be a hundred years or less')

const flag = z.boolean('must be true or false').default(false)
export const secondFactor = z.strictObject({ requiredForStaff: flag, passkeys: flag })

// A user is identified either by a header that a trusted proxy sets, or by a function.
export const remoteUser = z
  .strictObject({
    header: headerName.optional(),
    proxies: list(proxy).default([]),
    identify: anyFunction<Identify>().optional(),
    createUsers: z.boolean('must be true or false').default(true),
  })
  .refine(
    ({ header, identify }) => (header === undefined) !== (identify === undefined),
    'must have either header or identify',
  )
  .refine(({ header, proxies }) => (header === undefined) === (proxies.length === 0), {
    path: ['proxies'],
    error: 'must list the proxies that may set the header, and must be empty if there is no header',
  })

export const rate = z.string().refine(isRate, 'must be a rate such as 60/minute or 10/5 minutes')

const rates = list(rate).pipe(z.array(z.string()).min(1, 'must contain at least one rate')).optional()

export const throttles = z.strictObject({ anon: rates, user: rates, scopes: z.record(z.string(), rates).default({}) })

/** Parses `true` and `false`; returns any other value unchanged, for the schema to check. */
export const parseBoolean = (value: unknown) => (value === 'true' ? true : value === 'false' ? false : value)

export const integer = (min: number, max: number) =>
  z.int('must be a whole number').min(min, `must be ${min} or more`).max(max, `must be ${max} or less`)

export const port = integer(0, 65_535)

/** Parses a string of up to nine digits; returns any other value unchanged, for the schema to check. */
export const parseInteger = (value: unknown) =>
  typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
