/**
 * Escapes the content of an element or a `<textarea>`. It needs fewer bytes than escaping for attributes does: long code has many
 * quotes.
 */
export const escapeContent = (text: string): string =>
  text.replace(/[&<>]/g, character => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;'))
