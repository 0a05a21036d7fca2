import type { dataTexts } from '#pages'

/** The words of what takes data out, brings it in and finds it, in German; `germanPages` contains them. */
export const germanData: Readonly<Record<keyof typeof dataTexts, string>> = Object.freeze({
  // downloads
  'page.download': 'Herunterladen',
  'page.download_csv': 'CSV',
  'page.download_xlsx': 'Excel',
  'page.download_help': 'Alle passenden Objekte mit diesen Spalten; höchstens {max}.',
  'page.download_too_many':
    'Eine Datei enthält höchstens {max} Zeilen, und {count} passen. Grenzen Sie die Liste mit ihren Filtern ein.',
  'page.download_cut': 'Nur die ersten {max} Zeilen. Grenzen Sie die Liste mit ihren Filtern ein.',
})
