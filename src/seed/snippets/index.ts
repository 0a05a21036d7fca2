// The entry point 'resource-api/snippets': the profile of code snippets.

export { germanSnippets } from './german.ts'
export { type SnippetMessages, snippetMessages } from './messages.ts'
export { snippets } from './profile.ts'
export type { SnippetsOptions } from './settings.ts'
