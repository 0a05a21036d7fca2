import de from 'zod/v4/locales/de.js'
import type { Language } from './languages.ts'

/**
 * The errors of the framework in German.
 *
 * @example
 * createApi({ database, resources: [books], languages: { de: german } })
 */
export const german: Language = Object.freeze({
  zod: de(),

  // exceptions
  error: 'Ein Serverfehler ist aufgetreten.',
  parse_error: 'Die Anfrage ist fehlerhaft aufgebaut.',
  'parse_error.json': 'Fehler beim Lesen des JSON – {reason}',
  'parse_error.json_depth': 'Fehler beim Lesen des JSON – zu tief verschachtelt',
  'parse_error.json_range': 'Fehler beim Lesen des JSON – eine Zahl liegt außerhalb des zulässigen Bereichs',
  'parse_error.encoding': 'Der Inhalt der Anfrage ist kein gültiges UTF-8 ({prefix}).',
  'parse_error.form_fields': 'Fehler beim Lesen des Formulars – zu viele Felder',
  'parse_error.multipart': 'Fehler beim Lesen des mehrteiligen Formulars – {reason}',
  bad_request: 'Ungültige Anfrage.',
  'bad_request.incomplete': 'Der Inhalt der Anfrage ist unvollständig.',
  invalid_host: 'Ungültiger Host.',
  invalid_scheme: 'Ungültiges URL-Schema.',
  authentication_failed: 'Die Zugangsdaten sind falsch.',
  'authentication_failed.password': 'Benutzername oder Passwort ist falsch.',
  'authentication_failed.token': 'Ungültiges Token.',
  'authentication_failed.inactive': 'Der Benutzer ist deaktiviert oder wurde gelöscht.',
  'authentication_failed.remote_user': 'Ungültiger externer Benutzer.',
  'authentication_failed.basic_missing': 'Ungültiger Basic-Header. Es wurden keine Zugangsdaten angegeben.',
  'authentication_failed.basic_spaces': 'Ungültiger Basic-Header. Die Zugangsdaten dürfen keine Leerzeichen enthalten.',
  'authentication_failed.basic_encoding':
    'Ungültiger Basic-Header. Die Zugangsdaten sind nicht korrekt Base64-codiert.',
  'authentication_failed.token_missing': 'Ungültiger Token-Header. Es wurden keine Zugangsdaten angegeben.',
  'authentication_failed.token_spaces': 'Ungültiger Token-Header. Das Token darf keine Leerzeichen enthalten.',
  'authentication_failed.token_characters': 'Ungültiger Token-Header. Das Token enthält unzulässige Zeichen.',
  not_authenticated: 'Es wurden keine Zugangsdaten angegeben.',
  permission_denied: 'Sie haben nicht die Berechtigung, diese Aktion auszuführen.',
  csrf_failed: 'CSRF-Prüfung fehlgeschlagen: {reason}.',
  not_found: 'Nicht gefunden.',
  'not_found.page': 'Ungültige Seite.',
  'not_found.cursor': 'Ungültiger Cursor',
  method_not_allowed: 'Die Methode „{method}“ ist nicht erlaubt.',
  not_acceptable: 'Der Accept-Header der Anfrage kann nicht erfüllt werden.',
  conflict: 'Die Ressource wurde durch eine andere Anfrage geändert. Versuchen Sie es erneut.',
  protected: 'Andere Objekte verweisen auf dieses Objekt.',
  payload_too_large: 'Der Inhalt der Anfrage ist zu groß.',
  'payload_too_large.field': 'Ein Feld ist größer als {limit} Bytes.',
  'payload_too_large.file': 'Eine Datei ist größer als {limit} Bytes.',
  unsupported_media_type: 'Der Medientyp „{type}“ der Anfrage wird nicht unterstützt.',
  throttled: 'Die Anfrage wurde gedrosselt.',
  'throttled.second': 'Die Anfrage wurde gedrosselt. Voraussichtlich in {seconds} Sekunde wieder möglich.',
  'throttled.seconds': 'Die Anfrage wurde gedrosselt. Voraussichtlich in {seconds} Sekunden wieder möglich.',
  service_unavailable: 'Der Dienst ist vorübergehend nicht verfügbar. Versuchen Sie es später erneut.',
  outcome_unknown:
    'Die Verbindung zur Datenbank wurde unterbrochen. Ob die Änderung erfolgt ist, ist nicht bekannt: Prüfen Sie dies, bevor Sie es erneut versuchen.',
  insufficient_storage: 'Es ist kein Speicherplatz mehr vorhanden, um dies zu speichern.',

  // every field
  required: 'Dieses Feld ist erforderlich.',
  null: 'Dieses Feld darf nicht null sein.',
  unique: 'Dieses Feld muss eindeutig sein.',
  'unique.set': 'Die Felder {fields} müssen zusammen eindeutig sein.',
  constraint: 'Dieser Wert ist nicht zulässig.',
  'constraint.values': 'Diese Werte sind nicht zulässig.',
  'constraint.fields': 'Die Werte der Felder {fields} sind zusammen nicht zulässig.',
  invalid: 'Ungültige Eingabe.',
  'invalid.object': 'Ungültige Daten. Es wurde ein Objekt erwartet, aber {type} empfangen.',
  'invalid.out_of_range': 'Ein Wert liegt außerhalb des zulässigen Bereichs.',
  'invalid.filter': 'Geben Sie diesen Parameter nur einmal an: Der Filter nimmt einen Wert.',

  // fields by type
  'invalid.string': 'Keine gültige Zeichenkette.',
  'invalid.email': 'Geben Sie eine gültige E-Mail-Adresse ein.',
  'invalid.slug': 'Geben Sie einen gültigen „Slug“ aus Buchstaben, Ziffern, Unter- und Bindestrichen ein.',
  'invalid.url': 'Geben Sie eine gültige URL ein.',
  'invalid.uuid': 'Muss eine gültige UUID sein.',
  'invalid.integer': 'Eine gültige Ganzzahl ist erforderlich.',
  'invalid.number': 'Eine gültige Zahl ist erforderlich.',
  'invalid.boolean': 'Muss ein gültiger Wahrheitswert sein.',
  'invalid.date': 'Das Datum hat das falsche Format. Verwenden Sie stattdessen eines dieser Formate: YYYY-MM-DD.',
  'invalid.time':
    'Die Uhrzeit hat das falsche Format. Verwenden Sie stattdessen eines dieser Formate: hh:mm[:ss[.uuuuuu]].',
  'invalid.datetime':
    'Datum und Uhrzeit haben das falsche Format. Verwenden Sie stattdessen eines dieser Formate: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].',
  'invalid.duration':
    'Die Dauer hat das falsche Format. Verwenden Sie stattdessen eines dieser Formate: [DD] [HH:[MM:]]ss[.uuuuuu].',
  'invalid.json': 'Der Wert muss gültiges JSON sein.',
  blank: 'Dieses Feld darf nicht leer sein.',
  null_characters_not_allowed: 'Nullzeichen sind nicht zulässig.',
  max_length: 'Dieses Feld darf höchstens {max} Zeichen lang sein.',
  min_length: 'Dieses Feld muss mindestens {min} Zeichen lang sein.',
  max_value: 'Dieser Wert muss kleiner oder gleich {max} sein.',
  min_value: 'Dieser Wert muss größer oder gleich {min} sein.',
  max_string_length: 'Die Zeichenkette ist zu lang.',
  max_digits: 'Es sind insgesamt höchstens {max} Ziffern zulässig.',
  max_decimal_places: 'Es sind höchstens {max} Nachkommastellen zulässig.',
  max_whole_digits: 'Vor dem Dezimaltrennzeichen sind höchstens {max} Ziffern zulässig.',
  overflow: 'Die Anzahl der Tage muss zwischen -{days} und {days} liegen.',
  invalid_choice: '„{value}“ ist keine gültige Auswahl.',
  not_a_list: 'Es wurde eine Liste erwartet, aber der Typ „{type}“ empfangen.',
  empty: 'Diese Liste darf nicht leer sein.',
  'max_length.list': 'Dieses Feld darf höchstens {max} Elemente enthalten.',
  'min_length.list': 'Dieses Feld muss mindestens {min} Elemente enthalten.',
  does_not_exist: 'Ungültiger Schlüssel „{value}“ – das Objekt existiert nicht.',
  'does_not_exist.url': 'Ungültiger Hyperlink – das Objekt existiert nicht.',
  incorrect_type: 'Falscher Typ. Es wurde ein Schlüssel erwartet, aber {type} empfangen.',
  'incorrect_type.url': 'Falscher Typ. Es wurde eine URL als Zeichenkette erwartet, aber {type} empfangen.',
  no_match: 'Ungültiger Hyperlink – keine URL stimmt überein.',
  incorrect_match: 'Ungültiger Hyperlink – die URL gehört zu einer anderen Ressource.',
})
