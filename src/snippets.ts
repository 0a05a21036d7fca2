// The public door 'resource-api/snippets': the profile of code snippets.

export { germanSnippets } from './seed/snippets/german.ts'
export { snippetMessages } from './seed/snippets/messages.ts'
export { snippets } from './seed/snippets/profile.ts'
