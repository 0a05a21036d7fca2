import type { dataTexts } from '#pages'

/** The words of what takes data out, brings it in and finds it, in German; `germanPages` contains them. */
export const germanData: Readonly<Record<keyof typeof dataTexts, string>> = Object.freeze({
  // downloads
  'page.download': 'Herunterladen',
  'page.download_help': 'Alle passenden Objekte mit diesen Spalten; höchstens {max}.',
  'page.download_too_many':
    'Eine Datei enthält höchstens {max} Zeilen, und {count} passen. Grenzen Sie die Liste mit ihren Filtern ein.',
  'page.download_cut': 'Nur die ersten {max} Zeilen. Grenzen Sie die Liste mit ihren Filtern ein.',
  // suggestions
  'page.found_action': 'Aktion',
  'page.found_actions': 'Aktionen',
  'page.found_page': 'Seite',
  // imports
  'page.import': 'Importieren',
  'page.import_heading': 'Importieren: {list}',
  'page.import_lead':
    'Die erste Zeile der Datei enthält die Namen der Spalten. Nichts wird gespeichert, bevor Sie eine Vorschau gesehen haben.',
  'page.import_file': 'CSV-Datei',
  'page.import_file_excel': 'CSV-Datei oder Excel-Arbeitsmappe (.xlsx)',
  'page.import_limits': 'Höchstens {rows} Zeilen und {size} MB.',
  'page.import_preview': 'Vorschau',
  'page.import_choose': 'Wählen Sie eine Datei.',
  'page.import_lost': 'Die Zeilen der Datei wurden nicht vollständig gesendet. Wählen Sie die Datei noch einmal.',
  'page.import_size': 'Die Datei ist größer als {max} MB. Teilen Sie sie in kleinere Dateien.',
  'page.import_inflated': 'Die Arbeitsmappe ist entpackt größer als {max} MB. Teilen Sie sie in kleinere Dateien.',
  'page.import_encoding':
    'Die Buchstaben der Datei sind nicht lesbar, weil sie nicht in UTF-8 ist. Speichern Sie sie als „CSV UTF-8“ oder als Arbeitsmappe.',
  'page.import_type': 'Die Datei ist weder CSV noch eine Excel-Arbeitsmappe.',
  'page.import_old_excel':
    'Die Datei ist eine Arbeitsmappe eines alten Excel oder hat ein Passwort. Speichern Sie sie als .xlsx ohne Passwort oder als CSV.',
  'page.import_no_excel': 'Dieser Dienst liest keine Arbeitsmappen. Speichern Sie die Datei als CSV.',
  'page.import_workbook': 'Die Arbeitsmappe ist beschädigt oder keine von Excel.',
  'page.import_quote': 'Ein Anführungszeichen in oder nach Zeile {line} ist nicht geschlossen.',
  'page.import_columns': 'Die Datei hat mehr als {max} Spalten.',
  'page.import_rows': 'Die Datei hat mehr als {max} Zeilen. Teilen Sie sie in kleinere Dateien.',
  'page.import_empty': 'Die Datei ist leer.',
  'page.import_only_header': 'Die Datei hat nur eine Zeile, die die Namen der Spalten enthält.',
  'page.import_repeated': 'Zwei Spalten heißen „{name}“.',
  'page.import_cells': 'Zeile {line} hat mehr Zellen als die erste Zeile.',
  'page.import_nothing': 'Keine Spalte setzt ein Feld. Enthält die erste Zeile der Datei die Namen der Spalten?',
  'page.import_twice': 'Zwei Spalten setzen „{label}“.',
  'page.import_ready': 'Zeilen in {file}: {count}, alle richtig. Noch ist nichts gespeichert.',
  'page.import_wrong': 'Zeilen in {file}: {count}, mit Fehlern: {wrong}. Noch ist nichts gespeichert.',
  'page.import_matching': 'Spalten',
  'page.import_ignore': 'Auslassen',
  'page.import_key': 'Zeilen ändern',
  'page.import_key_none': 'nichts: jede Zeile ist ein neues Objekt',
  'page.import_key_by': 'das Objekt mit demselben Wert in „{label}“; eine Zeile ohne ihn ist neu',
  'page.import_check': 'Noch einmal prüfen',
  'page.import_run': 'Alle Zeilen importieren: {count}',
  'page.import_run_good': 'Nur die richtigen Zeilen importieren: {count}',
  'page.import_row': 'Zeile',
  'page.import_error': 'Fehler',
  'page.import_shown': '{shown} von {count} Zeilen sind zu sehen.',
  'page.import_unknown': '„{text}“ ist nicht der Name genau eines Objekts.',
  'page.import_done': '{created} angelegt, {changed} geändert.',
  'page.import_refused': 'Zeilen, die nicht importiert wurden: {count}',
  'page.import_undo': 'Rückgängig: Angelegtes löschen ({count})',
  'page.import_undo_help': 'Geänderte Objekte bleiben, wie sie jetzt sind. Ihr Verlauf enthält die alten Werte.',
  'page.import_show': 'Liste zeigen',
})
