// The selected objects of a list in a form: the paths of their pages, or only what follows the path of the list, with spaces between.

import { selectedField } from '../gateway/bulk-names.ts'

/** The paths of the selected objects, each of them once. `listPath`: the path below which the objects are. */
export function readSelection(form: URLSearchParams, listPath: string): readonly string[] {
  const texts = form.getAll(selectedField).flatMap(value => value.split(' '))
  return [...new Set(texts.filter(text => text !== '').map(text => (text.startsWith('/') ? text : listPath + text)))]
}

/** Formats the paths of objects as one field. */
export const formatSelection = (paths: readonly string[], listPath: string): string =>
  paths.map(path => (path.startsWith(listPath) ? path.slice(listPath.length) : path)).join(' ')
