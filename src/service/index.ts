// The inner door of the service: what the other storeys of this project import, as `#service`.

export { runCommandLine } from './commands/command-line.ts'
export { createService } from './create-service.ts'
export type { Fixture } from './data/fixture.ts'
export { optional } from './data/read-rows.ts'
export { createServiceJobs } from './processes/job-runner.ts'
export type { Profile } from './profile.ts'
export { openServices, type Services } from './services.ts'
export { type ReadySettings, readSettings, type ServiceOptions } from './settings/settings.ts'
