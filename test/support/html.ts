// The HTML of a page as a reader of its source would rather have it.

/** With characters in place of their numbers: for what has to be found, never for what must not be there. */
export const readable = (html: string): string =>
  html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
