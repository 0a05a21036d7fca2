// The entry point 'resource-api/snippets': the profile of code snippets.

export { snippets } from './profile.ts'
export type { SnippetsOptions } from './settings.ts'
