// The entry point 'resource-api/directory': the profile of users and groups.

export { type DirectoryOptions, directory } from './directory.ts'
export { groups, users } from './relation-targets.ts'
