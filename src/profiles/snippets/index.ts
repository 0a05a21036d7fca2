// The entry point 'resource-api/snippets': the profile of code snippets.

export { createHighlighter, type Highlighter, type HighlighterOptions } from './highlighting/highlighter.ts'
export { snippetMigrations } from './migrations.ts'
export { snippetEvent } from './snippet-event.ts'
export { adminSnippets, type SnippetsOptions, snippetFields, snippetProfile } from './snippets.ts'
