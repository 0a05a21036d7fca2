// The properties that a field inherits from the fields of the objects that it shows.

import type { RequestContext } from '../http/context.ts'
import { computeTogether } from './compute-together.ts'
import type { Field, Fields } from './field.ts'
import { nameOnWire } from './wire-names.ts'

type InheritedUses = Pick<Field, 'volatile' | 'requestUses'>
type Inherited = InheritedUses & Pick<Field, 'compute' | 'computeAll'>

/** The properties of a field whose SQL contains that of these fields. */
export const inheritUses = (fields: Fields): InheritedUses => ({ ...findVolatile(fields), ...findRequestUses(fields) })

/** The properties of a field that shows an object with these fields, a list of such objects, or null. */
export const inheritFrom = (fields: Fields): Inherited => ({
  ...inheritUses(fields),
  ...computeEach(fields),
  ...computePage(fields),
})

// Volatile if one of the fields is; undefined if none contains SQL of the application.
function findVolatile(fields: Fields): Pick<Field, 'volatile'> {
  const flags = Object.values(fields).flatMap(({ volatile }) => volatile ?? [])
  return flags.length === 0 ? {} : { volatile: flags.includes(true) }
}

function findRequestUses(fields: Fields): Pick<Field, 'requestUses'> {
  const uses = Object.values(fields).flatMap(({ requestUses }) => requestUses ?? [])
  if (uses.length === 0) return {}
  const caller = [...new Set(uses.flatMap(use => use.caller))]
  return { requestUses: { caller, now: uses.some(({ now }) => now), language: uses.some(({ language }) => language) } }
}

function computeEach(fields: Fields): Pick<Field, 'compute'> {
  const computed = listNamed(fields).filter(([, field]) => field.compute)
  if (computed.length === 0) return {}
  return {
    compute(shown, context) {
      for (const object of listObjects(shown))
        for (const [name, field] of computed)
          if (Object.hasOwn(object, name)) object[name] = field.compute!(object[name], context)
      return shown
    },
  }
}

function computePage(fields: Fields): Pick<Field, 'computeAll'> {
  const computed = listNamed(fields).filter(([, field]) => field.computeAll)
  if (computed.length === 0) return {}
  return {
    async computeAll(shown: readonly unknown[], context: RequestContext) {
      await computeTogether(undefined, shown.flatMap(listObjects), computed, context)
      return shown
    },
  }
}

const listNamed = (fields: Fields) =>
  Object.entries(fields).map(([name, field]) => [nameOnWire(name, field), field] as const)

const listObjects = (shown: unknown): readonly Record<string, unknown>[] =>
  ([shown].flat() as (Record<string, unknown> | null)[]).filter(object => object !== null)
