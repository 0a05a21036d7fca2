import type { AccountMessages } from './messages.ts'

/**
 * The errors of accounts in German.
 *
 * @example
 * createApi({ catalogues: [accountMessages], languages: { de: { ...german, ...germanAccounts } } })
 */
export const germanAccounts: AccountMessages = Object.freeze({
  'invalid.username':
    'Geben Sie einen gültigen Benutzernamen ein. Er darf nur Buchstaben, Ziffern und die Zeichen @/./+/-/_ enthalten.',
  'unique.username': 'Dieser Benutzername ist bereits vergeben.',
  'unique.remote_identity': 'Ein Benutzer mit dieser externen Identität existiert bereits.',
  'unique.group': 'Eine Gruppe mit diesem Namen existiert bereits.',
  'unique.token': 'Dieser Benutzer hat bereits ein Token. Es kann neu erzeugt werden.',
  'max_length.bytes': 'Dieses Feld darf höchstens {max} Bytes lang sein.',
  'max_tokens.one': 'Ein Benutzer hat höchstens 1 Token: Widerrufen Sie zuerst das vorhandene.',
  'max_tokens.many': 'Ein Benutzer hat höchstens {max} Token: Widerrufen Sie zuerst eines davon.',
  password_too_short: 'Dieses Passwort ist zu kurz. Es muss mindestens {min} Zeichen enthalten.',
  password_too_common: 'Dieses Passwort ist zu verbreitet.',
  'password_too_similar.username': 'Das Passwort ist dem Benutzernamen zu ähnlich.',
  'password_too_similar.email': 'Das Passwort ist der E-Mail-Adresse zu ähnlich.',
  password_entirely_numeric: 'Dieses Passwort besteht nur aus Ziffern.',
  authorization: 'Die Anmeldung mit diesen Zugangsdaten ist nicht möglich.',
  'permission_denied.lacked': 'Das darf nur ein Superuser: Es erfordert Berechtigungen, die Sie nicht haben.',
  'permission_denied.group_grant': 'Eine Gruppe gewährt Berechtigungen, die Sie nicht haben.',
  'permission_denied.staff_user': 'Nur ein Superuser darf dies bei einem Mitarbeiter tun.',
  'permission_denied.staff_group': 'Nur ein Superuser darf dies bei einer Gruppe tun, der ein Mitarbeiter angehört.',
  'permission_denied.flags': 'Nur ein Superuser darf is_staff und is_superuser ändern.',
  'permission_denied.last_superuser': 'Mindestens ein aktiver Superuser muss bestehen bleiben.',
  // what a permission allows, as in "Users: view, add"
  'grant.view': 'ansehen',
  'grant.add': 'anlegen',
  'grant.change': 'ändern',
  'grant.delete': 'löschen',
  // actions on the pages
  'action.reset_password': 'Passwort zurücksetzen',
  'action.password_rules':
    'Mindestens {min} Zeichen, nicht nur Ziffern, kein verbreitetes Passwort, und dem Benutzernamen und der E-Mail-Adresse nicht ähnlich. Alle Sitzungen des Benutzers enden; seine Token bleiben gültig.',
  'action.activate': 'Aktivieren',
  'action.deactivate': 'Deaktivieren',
  'action.add_to_group': 'In Gruppe aufnehmen',
  'action.make_token': 'Token erzeugen',
  'action.token_once': 'Das Token wird einmal angezeigt, auf der nächsten Seite.',
  'action.replaces_token':
    'Das Token wird einmal angezeigt, auf der nächsten Seite. Das bisherige Token des Benutzers wird ungültig.',
  'action.revoke_tokens': 'Token widerrufen',
  'action.tokens_end': 'Alle Token des Benutzers werden sofort ungültig.',
  // the home of the administration
  'home.warnings': 'Warnungen zur Installation: {count}',
  'home.failed_logins': 'Fehlgeschlagene Anmeldungen',
  'home.refused': 'Abgelehnte Anfragen',
  'home.no_failed_logins': 'Keine fehlgeschlagenen Anmeldungen.',
  'home.no_refused': 'Keine abgelehnten Anfragen.',
  'home.days': 'Die letzten {days} Tage',
  'home.day': 'Tag (UTC)',
  'home.as_table': 'Als Tabelle',
  'home.changes': 'Letzte Änderungen',
  'home.all_changes': 'Alle im Audit-Log',
  'home.no_changes': 'Es wurde noch nichts geändert.',
  'home.command': 'Ein Befehl',
  // the pages of the own account
  'account.password': 'Passwort ändern',
  'account.password_rules':
    'Mindestens {min} Zeichen, nicht nur Ziffern, kein verbreitetes Passwort, und Ihrem Benutzernamen und Ihrer E-Mail-Adresse nicht ähnlich. Ihre anderen Sitzungen enden; Ihre Token bleiben gültig.',
  'account.old_password': 'Altes Passwort',
  'account.new_password': 'Neues Passwort',
  'account.new_again': 'Neues Passwort, noch einmal',
  'account.change_password': 'Das Passwort ändern',
  'account.mismatch': 'Die beiden neuen Passwörter sind nicht gleich.',
  'account.wrong_password': 'Das alte Passwort ist falsch.',
  'account.password_changed': 'Das Passwort ist geändert. Ihre anderen Sitzungen sind beendet.',
  'account.name': 'Bezeichnung',
  'account.since': 'Seit',
  'account.expires': 'Gültig bis',
  'account.last_used': 'Zuletzt benutzt',
  'account.end': 'Beenden',
  'account.end_others': 'Alle anderen Sitzungen beenden',
  'account.this_session': 'Diese Sitzung',
  'account.revoke': 'Widerrufen',
  'account.replaces': 'Ein neues Token ersetzt Ihr bisheriges.',
  'account.no_tokens': 'Sie haben kein Token.',
})
