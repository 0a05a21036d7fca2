// The public door 'resource-api/directory': the profile of users and groups.

export { directory } from './seed/directory/directory.ts'
export { groups, users } from './seed/directory/relation-targets.ts'
