// Highlighting as a person does it who has no thread for it: Shiki, called where the request is handled. Everything about
// it is loaded with the first snippet, so that a start does not pay for it. The page that is stored is made by the same
// functions as ours: nobody is faster here because of a plainer page.

import type { Choices } from './new-snippet.ts'
import type { NewSnippet } from './store.ts'

export interface Highlighting extends Choices {
  render(snippet: NewSnippet): Promise<string>
}

let loading: Promise<Highlighting> | undefined

export function loadHighlighting(): Promise<Highlighting> {
  loading ??= load()
  return loading
}

async function load(): Promise<Highlighting> {
  const [{ renderSnippet: render }, { languages }, { styles }] = await Promise.all([
    import('../../src/profiles/snippets/highlighting/render.ts'),
    import('../../src/profiles/snippets/highlighting/languages.ts'),
    import('../../src/profiles/snippets/highlighting/styles.ts'),
  ])
  return { render, languages, styles }
}
