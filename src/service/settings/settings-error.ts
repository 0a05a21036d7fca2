/** A setting is invalid; the message begins with its name. */
export class SettingsError extends Error {
  override name = 'SettingsError'
}
