// The public door 'resource-api/migrations': the files of migration steps.

export { type DeclaredStep, step } from './core/database/migrations/declared-step.ts'
export type { Change } from './core/database/schema/change.ts'
