// The public door 'resource-api/service': the service as a library, for config files and for programs that start it
// themselves.

export { runCommandLine } from './service/commands/command-line.ts'
export { createService } from './service/create-service.ts'
export type { Fixture } from './service/data/fixture.ts'
export { loadData } from './service/data/load-data.ts'
export { fixture } from './service/data/resource-fixture.ts'
export { type Profile, profile } from './service/profile.ts'
export type { ProfileContext, ProfileOptions } from './service/profile-options.ts'
export { openServices, type Services } from './service/services.ts'
export type { CreateSchemes, SchemesContext } from './service/settings/schemes-setting.ts'
export { defineService, readSettings, type ServiceOptions, type Settings } from './service/settings/settings.ts'
