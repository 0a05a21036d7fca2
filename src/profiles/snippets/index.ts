// The entry point 'resource-api/snippets': the profile of code snippets.

export { createHighlighter, type Highlighter, type HighlighterOptions } from './highlighting/highlighter.ts'
export { snippetMigrations } from './migrations.ts'
export { adminSnippets, type SnippetsOptions, snippetFields, snippetProfile } from './snippets.ts'
