// The entry point 'resource-api/service': the service as a library, for config files and for programs that start it
// themselves.

export { createService, type ProcessOptions } from './create-service.ts'
export type { Profile } from './profile.ts'
export { openServices, type Services, type ServicesOptions } from './services.ts'
export {
  defineService,
  type ReadySettings,
  readSettings,
  type ServiceOptions,
  type Settings,
  SettingsError,
} from './settings/settings.ts'
