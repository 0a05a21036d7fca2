// Assertions about types. The compiler makes them, so they fail in `npm run check` and not when the tests run.

/** True if the types are the same. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** A compile error unless the type is true: `same<Same<A, B>>()`. */
export const same = <_ extends true>(): void => undefined

/** An interface as an object type, as mapped types are. */
export type Flat<T> = { [Name in keyof T]: T[Name] }

/** The parameters of lists that are no filters. */
export type ListParameter =
  | 'page'
  | 'page_size'
  | 'limit'
  | 'offset'
  | 'cursor'
  | 'search'
  | 'ordering'
  | 'fields'
  | 'omit'
  | 'expand'
