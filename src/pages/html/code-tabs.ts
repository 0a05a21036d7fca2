// Code in several languages, of which one is shown. The choice needs no script: a radio button shows the code after it.

import { html } from 'ghtml'

/** Code, and the name of its language. */
export interface CodeTab {
  readonly name: string
  readonly codeHtml: string
}

export interface CodeTabOptions {
  /** The part of the ids, unique per page: `list-orders`. */
  readonly id: string
  /** The label of the group. */
  readonly label: string
  /** The label of one language's code. */
  readonly labelOf: (name: string) => string
  /** The text of the button that copies the code. */
  readonly copyText: (name: string) => string
  /** Its text after it was pressed. */
  readonly copiedText: string
}

export function codeTabs(
  codes: readonly CodeTab[],
  { id, label, labelOf, copyText, copiedText }: CodeTabOptions,
): string {
  const tabs = codes.map(
    ({ name }, index) =>
      html`<input type="radio" name="code-${id}" id="code-${id}-${index}" autocomplete="off" !${index === 0 ? 'checked' : ''}><label for="code-${id}-${index}">${name}</label>`,
  )
  const panes = codes.map(
    ({ name, codeHtml }) =>
      html`<div class="example"><pre tabindex="0" role="region" aria-label="${labelOf(name)}"><code>!${codeHtml}</code></pre><button type="button" data-copy data-copied="${copiedText}" data-needs-script hidden>${copyText(name)}</button></div>`,
  )
  return html`<div class="code-tabs" role="group" aria-label="${label}">!${tabs}!${panes}</div>
`
}
