// The English words of what takes the objects of a list out, brings objects in, and finds them.

/** The texts by key; {@link pageMessages} contains them. */
export const dataTexts = {
  // downloads
  'page.download': 'Download',
  'page.download_csv': 'CSV',
  'page.download_xlsx': 'Excel',
  'page.download_help': 'All objects that match, with these columns; at most {max}.',
  'page.download_too_many': 'A download has at most {max} rows, and {count} match. Narrow the list with its filters.',
  'page.download_cut': 'Only the first {max} rows. Narrow the list with its filters.',
} as const
