import type { PageTexts } from './page-messages.ts'

/** The words of the pages in German; `german` contains them. */
export const germanPages: PageTexts = Object.freeze({
  // the frame
  'page.skip': 'Zum Inhalt springen',
  'page.menu': 'Menü',
  'page.site': 'Bereiche',
  'page.reference': 'Referenz',
  'page.links': 'Verweise',
  'page.breadcrumbs': 'Pfad',
  'page.home': 'Start',
  'page.account': 'Konto von {name}',
  'page.log_in': 'Anmelden',
  'page.log_out': 'Abmelden',
  'page.my_tokens': 'Meine Token',
  'page.actions': 'Aktionen',
  'page.request': 'Anfrage',
  'page.response': 'Antwort',
  'page.body': 'Inhalt',
  'page.copy': 'Kopieren',
  'page.copied': 'Kopiert',
  // finding
  'page.find': 'Suchen',
  'page.find_hint': 'Seite oder Objekt suchen',
  'page.found': 'Ergebnisse für „{text}“',
  'page.found_pages': 'Seiten',
  'page.found_none': 'Nichts passt zu „{text}“.',
  'page.found_none_hint': 'Suchen Sie nach dem Anfang eines Wortes, oder wählen Sie eine Liste im Menü.',
  'page.found_all': 'Alle Ergebnisse in {list}',
  'page.find_empty': 'Geben Sie den Namen einer Seite ein, oder ein Wort des gesuchten Objekts.',
  // the login
  'page.username': 'Benutzername',
  'page.password': 'Passwort',
  'page.wrong_credentials':
    'Benutzername oder Passwort ist falsch. Achten Sie bei beiden auf Groß- und Kleinschreibung.',
  'page.error': 'Fehler',
  'page.login_reason': 'Melden Sie sich an, um diese Seite zu öffnen.',
  'page.login_failed': 'Die Zugangsdaten der Anfrage sind falsch: {detail}',
  // errors
  'page.forbidden': 'Sie dürfen diese Seite nicht öffnen',
  'page.forbidden_method': 'Sie dürfen das nicht tun',
  'page.forbidden_reason': 'Sie sind als {name} angemeldet.',
  'page.who_may': 'Wer darf: {who}.',
  'page.who_staff': 'Mitarbeiter',
  'page.who_superuser': 'Superuser',
  'page.who_owner': 'der Eigentümer',
  'page.who_granted': 'Benutzer mit der Berechtigung {permission}, und Superuser',
  'page.other_user': 'Als anderer Benutzer anmelden',
  'page.not_found': 'Hier ist nichts',
  'page.not_found_reason':
    'Keine Seite und kein Objekt hat die Adresse {path}. Vielleicht wurde es verschoben oder gelöscht.',
  'page.nearest': 'Meinten Sie {name}?',
  'page.up': 'Zu {name}',
  'page.method': '{name} lässt sich nicht öffnen',
  'page.method_reason': 'Diese Adresse nimmt nur {methods} an.',
  'page.throttled': 'Zu viele Anfragen',
  'page.throttled_reason': 'In {seconds} Sekunden, um {time} UTC, können Sie es noch einmal versuchen.',
  'page.throttled_over': 'Sie können es jetzt noch einmal versuchen.',
  'page.try_again': 'Noch einmal versuchen',
  'page.server_error': 'Etwas ist schiefgegangen',
  'page.server_error_reason':
    'Der Fehler liegt bei uns und wurde aufgezeichnet. Wenn er noch einmal auftritt, nennen Sie diese Nummer:',
  'page.unavailable': 'Im Augenblick nicht verfügbar',
  'page.bad_request': 'Die Anfrage war nicht verständlich',
  'page.failed': 'Die Anfrage ist fehlgeschlagen',
  // lists
  'page.empty': 'Hier gibt es nichts zu zeigen.',
  // home pages
  'page.no_resources': 'Hier ist nichts, was Sie öffnen dürfen.',
  'page.getting_started': 'Erste Schritte',
  'page.every_url': 'Jede Adresse ist eine Seite für Menschen, und JSON für Programme.',
})
