// Stores the files of a form while they arrive. Nothing is buffered but the beginning of a file, in which its type is found.

import { ValidationError } from '../../errors/exceptions.ts'
import { invalid } from '../../errors/invalid.ts'
import { detectType, headSize, isAccepted } from '../../http/files/content-types.ts'
import { createFileKey } from '../../http/files/file-key.ts'
import { cleanFileName } from '../../http/files/file-name.ts'
import type { FileRules } from '../../http/files/file-rules.ts'
import { type ImageSize, imageHeadSize, readImageSize } from '../../http/files/image-size.ts'
import { UploadedFile } from '../../http/files/stored-file.ts'
import type { ContentPart, FormBody, ReceivedFile, UploadBody } from '../../http/parsers/request-body.ts'
import type { Fields } from '../field.ts'
import { findFile, listChildren } from '../storage.ts'
import { CheckedContent, checkType } from './checked-content.ts'

/**
 * Reads the rest of a form, and stores the files of these fields, by their names on the wire; others are skipped. The errors
 * of single files are part of the result. If the body or a store fails, rejects, and keeps no file.
 */
export async function receiveFiles({ form, files: parts }: UploadBody, fields: Fields): Promise<FormBody> {
  const files = new Map<string, ReceivedFile | ReceivedFile[]>()
  const skipped = new Set<string>()
  try {
    for await (const part of parts) {
      const around = findFieldAround(part.name, fields)
      if (around !== undefined) files.set(around, invalid('file_of_child'))
      const field = Object.hasOwn(fields, part.name) ? fields[part.name]! : undefined
      const rules = field && findFile(field)
      if (rules === undefined && around === undefined) skipped.add(part.name)
      if (rules === undefined || field!.readOnly) continue
      const received = await receiveFile(part, rules).catch(toFieldError)
      if (received !== undefined) await addFile(files, part.name, received, field!.file === undefined)
    }
    return { kind: 'form', form, files, ...(skipped.size > 0 && { skipped: [...skipped] }) }
  } catch (error) {
    await removeFiles(files.values())
    throw error
  }
}

async function addFile(
  files: Map<string, ReceivedFile | ReceivedFile[]>,
  name: string,
  received: ReceivedFile,
  isList: boolean,
): Promise<void> {
  const earlier = files.get(name)
  if (isList) files.set(name, [...[earlier ?? []].flat(), received])
  else if (earlier === undefined) files.set(name, received)
  else {
    await removeFiles([earlier, received])
    files.set(name, invalid('file_repeated'))
  }
}

const receivedForms = new WeakMap<UploadBody, FormBody>()

/** The form of a view, whose files `settleUpload` keeps or removes. */
export async function receiveForm(body: UploadBody, fields: Fields): Promise<FormBody> {
  const form = await receiveFiles(body, fields)
  receivedForms.set(body, form)
  return form
}

/** Keeps the files that `receiveForm` stored, or removes them. */
export async function settleUpload(body: UploadBody, isKept: boolean): Promise<void> {
  const form = receivedForms.get(body)
  receivedForms.delete(body)
  if (form?.files !== undefined && !isKept) await removeFiles(form.files.values())
}

// Clients name the parts of children `lines.0.scan` or `lines[0][scan]`.
function findFieldAround(part: string, fields: Fields): string | undefined {
  const [name = ''] = part.split(/[.[]/, 1)
  return listChildren(fields).some(([each]) => each === name) ? name : undefined
}

/** Removes those files that no committed write refers to. */
export async function removeFiles(files: Iterable<ReceivedFile | readonly ReceivedFile[]>): Promise<void> {
  for (const found of [...files].flat()) if (found instanceof UploadedFile) await found.removeUnlessKept()
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
