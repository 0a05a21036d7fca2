/** The names of the parameters in a path: `line` in `lines/:line/ship`. */
type ParameterName<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? ParameterName<Segment> | ParameterName<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** The texts of the parameters in a path, by name; any names if the compiler does not know the path. */
export type PathParameters<Path extends string = string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in ParameterName<Path>]: string }

const parameterPattern = /:([^/]+)/g

/** The path without the names of its parameters: paths with the same shape match the same URLs. */
export const formatShape = (path: string): string => path.replace(parameterPattern, ':')

/** The names of the parameters in a path, in order. */
export const listParameterNames = (path: string): readonly string[] =>
  [...path.matchAll(parameterPattern)].map(([, name]) => name!)

/** The path with the values of its parameters, by name. */
export const fillParameters = (path: string, values: Readonly<Record<string, string>>): string =>
  path.replace(parameterPattern, (_, name: string) => encodeURIComponent(values[name]!))
