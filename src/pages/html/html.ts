import { html as template } from 'ghtml'

/**
 * A template of HTML for functions that render pages: it escapes the values that it inserts, and `!` before one inserts it as HTML.
 *
 * @example
 * html`<p>${order.note}</p>!${await renderDefault()}`
 */
export const html: (strings: TemplateStringsArray, ...values: readonly unknown[]) => string = template
