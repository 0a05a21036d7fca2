// The service as a library: for config files, and for programs that start it themselves.

export type { GrantedPermissions } from '../accounts/granted-permissions.ts'
export { type ModelPermissionsOptions, modelPermissions } from '../accounts/model-permissions.ts'
export { createService } from './create-service.ts'
export { openServices, type Services, type ServicesOptions } from './services.ts'
export {
  defineService,
  type ReadySettings,
  readSettings,
  type ServiceOptions,
  type Settings,
  SettingsError,
} from './settings/settings.ts'
