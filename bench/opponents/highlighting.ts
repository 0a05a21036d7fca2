// Highlighting without a thread: Shiki is called in the request handler. It is loaded with the first snippet, so that it
// does not slow down the start. The same functions as in the service make the stored page, so a simpler page cannot be the
// reason for a faster result.

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
    import('../../src/seed/snippets/highlighting/render.ts'),
    import('../../src/seed/snippets/highlighting/languages.ts'),
    import('../../src/seed/snippets/highlighting/styles.ts'),
  ])
  return { render, languages, styles }
}
