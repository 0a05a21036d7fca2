// JSON Pointer (RFC 6901): the place of a value in a document.

/** Formats the path to a value as a pointer, such as `/paths/~1orders~1/get`. The path to the document is `''`. */
export const formatPointer = (path: readonly (string | number)[]): string =>
  path.map(part => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/** The path of a pointer. Indexes are texts. */
export const parsePointer = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(part => part.replaceAll('~1', '/').replaceAll('~0', '~'))
