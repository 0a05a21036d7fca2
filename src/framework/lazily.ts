/**
 * An object whose parts are made when they are first asked for, and kept: a start that makes what nobody may ever ask for
 * is a slow one.
 */
export function lazily<Parts extends object>(makers: { readonly [Name in keyof Parts]: () => Parts[Name] }): Parts {
  const parts = {}
  for (const [name, make] of Object.entries<() => unknown>(makers)) {
    Object.defineProperty(parts, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = make()
        Object.defineProperty(parts, name, { value, enumerable: true })
        return value
      },
    })
  }
  return parts as Parts
}
