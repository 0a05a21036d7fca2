// The dialog with the keys of a list, which the script opens.

import { html } from 'ghtml'
import type { Words } from '../html/words.ts'

/** The dialog. */
export function keysDialog(words: Words): string {
  const keys = [
    ['/', words('page.key_search')],
    ['j, k', words('page.key_move')],
    ['Enter', words('page.key_open')],
    ['x', words('page.key_select')],
    ['?', words('page.key_help')],
  ]
  return html`<dialog data-keys aria-labelledby="keys"><h2 id="keys">${words('page.keys')}</h2>
<dl>!${keys.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
<form method="dialog"><button>${words('page.close')}</button></form></dialog>
`
}
