import type { JwtMessages } from './messages.ts'

/**
 * The errors of refused tokens in German.
 *
 * @example
 * createApi({ catalogues: [jwtMessages], languages: { de: { ...german, ...germanJwt } } })
 */
export const germanJwt: JwtMessages = Object.freeze({
  invalid_token: 'Ungültiges Token.',
  'invalid_token.missing': 'Ungültiger Token-Header. Es wurden keine Zugangsdaten angegeben.',
  'invalid_token.spaces': 'Ungültiger Token-Header. Das Token darf keine Leerzeichen enthalten.',
  'invalid_token.inactive': 'Der Benutzer ist deaktiviert oder wurde gelöscht.',
  'invalid_token.too_long': 'Das Token ist zu lang.',
  'invalid_token.type': 'Das Token hat einen anderen Typ.',
  'invalid_token.issuer': 'Das Token stammt von einem anderen Aussteller.',
  'invalid_token.audience': 'Das Token ist für einen anderen Empfänger bestimmt.',
  'invalid_token.subject': 'Das Token hat kein gültiges Subjekt.',
  'invalid_token.expiry': 'Das Token hat kein gültiges Ablaufdatum.',
  'invalid_token.expired': 'Das Token ist abgelaufen.',
  'invalid_token.not_yet_valid': 'Das Token ist noch nicht gültig.',
  'invalid_token.issued_in_future': 'Der Ausstellungszeitpunkt des Tokens liegt in der Zukunft.',
  'invalid_token.bound': 'Das Token ist an einen Schlüssel gebunden, der hier nicht geprüft werden kann.',
  'invalid_token.keys': 'Das Token kann derzeit nicht geprüft werden.',
  insufficient_scope: 'Dem Token fehlt eine erforderliche Berechtigung (Scope).',
})
