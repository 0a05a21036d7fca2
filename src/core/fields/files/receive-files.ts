// Stores the files of a form while they arrive. Nothing is buffered but the beginning of a file, in which its type is found.

import { ValidationError } from '../../errors/exceptions.ts'
import { invalid } from '../../errors/invalid.ts'
import { detectType, headSize, isAccepted } from '../../http/files/content-types.ts'
import { createFileKey } from '../../http/files/file-key.ts'
import { cleanFileName } from '../../http/files/file-name.ts'
import type { FileRules } from '../../http/files/file-rules.ts'
import { type ImageSize, imageHeadSize, readImageSize } from '../../http/files/image-size.ts'
import { UploadedFile } from '../../http/files/stored-file.ts'
import type { ContentPart, FormBody, UploadBody } from '../../http/parsers/request-body.ts'
import type { Fields } from '../field.ts'
import { listChildren } from '../storage.ts'
import { CheckedContent, checkType } from './checked-content.ts'

/**
 * Reads the rest of a form, and stores the files of these fields, by their names on the wire; others are skipped. The errors
 * of single files are part of the result. If the body or a store fails, rejects, and keeps no file.
 */
export async function receiveFiles({ form, files: parts }: UploadBody, fields: Fields): Promise<FormBody> {
  const files = new Map<string, UploadedFile | ValidationError>()
  const skipped = new Set<string>()
  try {
    for await (const part of parts) {
      const around = findFieldAround(part.name, fields)
      if (around !== undefined) files.set(around, invalid('file_of_child'))
      const { file: rules, readOnly } = (Object.hasOwn(fields, part.name) && fields[part.name]) || {}
      if (rules === undefined && around === undefined) skipped.add(part.name)
      if (rules === undefined || readOnly) continue
      const received = await receiveFile(part, rules).catch(toFieldError)
      if (received === undefined) continue
      const earlier = files.get(part.name)
      if (earlier !== undefined) await removeFiles([earlier, received])
      files.set(part.name, earlier === undefined ? received : invalid('file_repeated'))
    }
    return { kind: 'form', form, files, ...(skipped.size > 0 && { skipped: [...skipped] }) }
  } catch (error) {
    await removeFiles(files.values())
    throw error
  }
}

// Clients name the parts of children `lines.0.scan` or `lines[0][scan]`.
function findFieldAround(part: string, fields: Fields): string | undefined {
  const [name = ''] = part.split(/[.[]/, 1)
  return listChildren(fields).some(([each]) => each === name) ? name : undefined
}

/** Removes those files that no committed write refers to. */
export async function removeFiles(files: Iterable<UploadedFile | ValidationError>): Promise<void> {
  for (const found of files) if (found instanceof UploadedFile) await found.removeUnlessKept()
}

function toFieldError(error: unknown): ValidationError {
  if (error instanceof ValidationError) return error
  throw error
}

/** Resolves to undefined for the part that a browser sends if no file was chosen. The parser skips what is not read. */
async function receiveFile(
  { filename, mediaType, content: chunks }: ContentPart,
  { store, types, maxSize, maxImage }: FileRules,
): Promise<UploadedFile | undefined> {
  const head = await readHead(chunks, maxImage === undefined ? headSize : imageHeadSize)
  const name = cleanFileName(filename)
  if (head.length === 0 && name === '') return undefined
  if (head.length === 0) throw invalid('file_empty')
  if (name === '') throw invalid('file_without_name')
  const type = detectType(head, mediaType)
  if (maxImage !== undefined) checkImage(head, type, types, maxImage)
  else checkType(type, types)
  const key = createFileKey()
  const content = new CheckedContent({ head, chunks, type }, { types, maxSize })
  await store.write(key, content, { type })
  return new UploadedFile({ key, name, type: content.type, size: content.size }, store)
}

async function readHead(chunks: AsyncIterator<Buffer>, size: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let length = 0; length < size; ) {
    const { done, value } = await chunks.next()
    if (done) break
    parts.push(value)
    length += value.length
  }
  return Buffer.concat(parts)
}

function checkImage(head: Buffer, type: string, types: readonly string[] = [], { width, height }: ImageSize): void {
  const size = isAccepted(type, types) ? readImageSize(head, type) : undefined
  if (size === undefined) throw invalid('invalid.image')
  if (size.width > width) throw invalid('max_width', { max: width })
  if (size.height > height) throw invalid('max_height', { max: height })
}
