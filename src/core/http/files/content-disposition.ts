// The header field Content-Disposition (RFC 6266): browsers save a file under its name, and show only files that are safe.

import { cleanFileName } from './file-name.ts'

// Browsers run no script in these.
const shownTypes: readonly string[] = ['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp', 'text/plain']

/** Formats the field for a file of this name and type. */
export function formatDisposition(name: string, type: string): string {
  const kind = shownTypes.includes(type) ? 'inline' : 'attachment'
  const safe = cleanFileName(name).replace(/[/\\]/g, '_')
  const fallback = safe.replace(/[^ -~]|["%]/g, '_')
  return `${kind}; filename="${fallback}"${fallback === safe ? '' : `; filename*=UTF-8''${encodeExtended(safe)}`}`
}

// RFC 8187 §3.2.1 allows fewer characters than encodeURIComponent leaves.
const encodeExtended = (text: string): string =>
  encodeURIComponent(text).replace(/['()*]/g, character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
