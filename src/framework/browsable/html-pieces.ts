/** HTML in pieces. Pages share long pieces, such as the table of a list; what is not joined costs nothing to compare. */
export type HtmlPieces = string | readonly HtmlPieces[]

/** The HTML of all pieces. */
export const joinPieces = (pieces: HtmlPieces): string =>
  typeof pieces === 'string' ? pieces : pieces.map(joinPieces).join('')
