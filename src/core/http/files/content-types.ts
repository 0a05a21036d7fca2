// The type of a file follows from its content, never from its name or from what the client claims. A short table of
// signatures covers the types that applications accept; a library that knows hundreds would parse hostile content for all of
// them (decision 075).

import { TextCheck } from './text-check.ts'

/** Bytes at the beginning of a file that are enough to find its type. */
export const headSize = 4096

/** The type of content that is neither text nor has a known signature. */
export const unknownType = 'application/octet-stream'

// Each text, as Latin-1, begins at its offset.
const signatures: readonly (readonly [type: string, ...parts: readonly (readonly [offset: number, text: string])[]])[] =
  [
    ['application/pdf', [0, '%PDF-']],
    ['image/png', [0, '\x89PNG\r\n\x1a\n']],
    ['image/jpeg', [0, '\xff\xd8\xff']],
    ['image/gif', [0, 'GIF87a']],
    ['image/gif', [0, 'GIF89a']],
    ['image/webp', [0, 'RIFF'], [8, 'WEBP']],
    ['image/avif', [4, 'ftypavif']],
    ['image/heic', [4, 'ftypheic']],
    ['image/tiff', [0, 'II*\0']],
    ['image/tiff', [0, 'MM\0*']],
    ['audio/wav', [0, 'RIFF'], [8, 'WAVE']],
    ['audio/mpeg', [0, 'ID3']],
    ['audio/flac', [0, 'fLaC']],
    ['application/ogg', [0, 'OggS']],
    ['video/quicktime', [4, 'ftypqt']],
    ['video/mp4', [4, 'ftyp']],
    ['video/webm', [0, '\x1aE\xdf\xa3']],
    ['application/gzip', [0, '\x1f\x8b']],
    ['application/zstd', [0, '(\xb5/\xfd']],
    ['application/x-7z-compressed', [0, "7z\xbc\xaf'\x1c"]],
    ['application/vnd.rar', [0, 'Rar!\x1a\x07']],
    ['application/zip', [0, 'PK\x03\x04']],
    ['application/zip', [0, 'PK\x05\x06']],
  ]

const office = 'application/vnd.openxmlformats-officedocument.'

// The types of zip archives, by a text in the head.
const archives: readonly (readonly [type: string, text: string])[] = [
  ['application/epub+zip', 'mimetypeapplication/epub+zip'],
  ['application/vnd.oasis.opendocument.text', 'mimetypeapplication/vnd.oasis.opendocument.text'],
  ['application/vnd.oasis.opendocument.spreadsheet', 'mimetypeapplication/vnd.oasis.opendocument.spreadsheet'],
  ['application/vnd.oasis.opendocument.presentation', 'mimetypeapplication/vnd.oasis.opendocument.presentation'],
  [`${office}wordprocessingml.document`, 'word/'],
  [`${office}spreadsheetml.sheet`, 'xl/'],
  [`${office}presentationml.presentation`, 'ppt/'],
]

// Text has no signature, so the client chooses among these. Browsers run none of them.
const textTypes: readonly string[] = ['text/plain', 'text/csv', 'text/markdown', 'application/json']

/** Every type that `detectType` returns. */
export const knownTypes: readonly string[] = [
  ...new Set([...signatures, ...archives].map(([type]) => type)),
  ...textTypes,
  unknownType,
]

/** Whether content of this type must be text throughout. */
export const isTextType = (type: string): boolean => textTypes.includes(type)

/** The type of a file with this beginning. `claimed`: the type that the client sent. */
export function detectType(head: Buffer, claimed: string): string {
  const text = head.toString('latin1')
  const found = signatures.find(([, ...parts]) => parts.every(([offset, part]) => text.startsWith(part, offset)))?.[0]
  if (found === 'application/zip') return archives.find(([, part]) => text.includes(part))?.[0] ?? found
  if (found !== undefined) return found
  if (!new TextCheck().continues(head)) return unknownType
  return isTextType(claimed) ? claimed : 'text/plain'
}

/** Whether a type is one of `types`, in which `image/*` stands for all types of images. */
export const isAccepted = (type: string, types: readonly string[]): boolean =>
  types.some(accepted => accepted === type || (accepted.endsWith('/*') && type.startsWith(accepted.slice(0, -1))))
