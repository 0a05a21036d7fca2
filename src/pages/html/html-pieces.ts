/** HTML in pieces. Pages share the long ones, such as the table of a list, so pages are compared without joining them. */
export type HtmlPieces = string | readonly HtmlPieces[]

/** The HTML of all pieces. */
export const joinPieces = (pieces: HtmlPieces): string =>
  typeof pieces === 'string' ? pieces : pieces.map(joinPieces).join('')
