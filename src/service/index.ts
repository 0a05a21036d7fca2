// The entry point 'resource-api/service': the service as a library, for config files and for programs that start it
// themselves.

export { type CommandLineOptions, type FurtherCommand, runCommandLine } from './commands/command-line.ts'
export { createService, type ProcessOptions } from './create-service.ts'
export { DataError } from './data/data-error.ts'
export type { Fixture } from './data/fixture.ts'
export { type DataTarget, type Fixtures, type Loaded, loadData } from './data/load-data.ts'
export { optional } from './data/read-rows.ts'
export { fixture, type ResourceFixtureOptions } from './data/resource-fixture.ts'
export type { OpenProfile } from './open-profiles.ts'
export { type Profile, profile } from './profile.ts'
export type { ExampleRequest, ProfileContext, ProfileOptions, ProfileParts } from './profile-options.ts'
export { openServices, type Services, type ServicesOptions } from './services.ts'
export type { ProfileDemo, ProfileSettings } from './settings/profile-settings.ts'
export type { CreateSchemes, SchemesContext } from './settings/schemes-setting.ts'
export {
  type DemoData,
  defineService,
  type ReadySettings,
  readSettings,
  type ServiceOptions,
  type Settings,
  SettingsError,
} from './settings/settings.ts'
