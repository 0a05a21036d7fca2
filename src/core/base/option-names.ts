import { nearestName } from './nearest-name.ts'

/** The names of all options; the compiler ensures that none is missing. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>

/**
 * Throws for an option that does not exist: a mistyped `permissions` would otherwise be ignored. The compiler has checked
 * neither JavaScript nor the names in an object that is built elsewhere. `where` begins the message; it may be empty.
 */
export function checkOptionNames(where: string, options: object, names: Readonly<Record<string, true>>): void {
  const unknown = Object.keys(options).find(name => !Object.hasOwn(names, name))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, Object.keys(names))
  const hint = nearest === undefined ? `the options are ${Object.keys(names).join(', ')}` : `write "${nearest}"`
  throw new Error(`${where === '' ? '' : `${where}: `}there is no option "${unknown}": ${hint}`)
}
