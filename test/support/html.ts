// Makes the HTML of a page easier to match.

/** Replaces numeric character references. Use it only to find text, never to assert that text is absent. */
export const toReadableText = (html: string): string =>
  html.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
