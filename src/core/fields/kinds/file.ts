// The fields of files. The column refers to a file in a store; bodies of multipart/form-data contain files, and responses
// show their URLs (decision 075).

import { sql } from 'kysely'
import type { Dialect, Sql } from '../../database/dialect.ts'
import { jsonMember, member } from '../../database/expressions.ts'
import type { JsonSchema } from '../../describe/json-schema.ts'
import { ValidationError } from '../../errors/exceptions.ts'
import { invalid } from '../../errors/invalid.ts'
import type { RequestContext } from '../../http/context.ts'
import { isAccepted, knownTypes } from '../../http/files/content-types.ts'
import type { FileRules } from '../../http/files/file-rules.ts'
import type { FileStore } from '../../http/files/file-store.ts'
import { type ImageSize, imageTypes } from '../../http/files/image-size.ts'
import { type ShownFile, type StoredFile, UploadedFile } from '../../http/files/stored-file.ts'
import { columnReference } from '../column-reference.ts'
import { defineField, type FieldOptions } from '../define-field.ts'
import type { Field, FieldDefinition, FieldLocation } from '../field.ts'
import type { KnownOptions, NullOf, TraitOf } from '../field-types.ts'
import { createPathSegment, findPathIdentifier } from '../identifier.ts'
import { nameOnWire } from '../wire-names.ts'
import { jsonKind } from './json.ts'
import type { FieldKind } from './kind.ts'

type SharedOptions = Pick<FieldOptions<StoredFile>, 'nullable' | 'column' | 'label' | 'help' | 'messages' | 'visible'>

export interface FileOptions extends SharedOptions {
  /** Where the contents are stored: `folder('data/invoices')`. */
  readonly store: FileStore
  /** The accepted types, found in the content: `['application/pdf', 'image/*']`. Default: every type. */
  readonly types?: readonly string[]
  /** The largest file in bytes; default 16 MiB. */
  readonly maxSize?: number
  /**
   * `permissions`: callers who may read the object may read the file. `signed`: so may whoever has a URL that is signed with the
   * API's `secret`; responses show such URLs. Default: `permissions`.
   */
  readonly access?: 'permissions' | 'signed'
  /** Seconds for which signed URLs are valid at least, and twice that at most; default 3600. */
  readonly signedFor?: number
}

export interface ImageOptions extends FileOptions {
  /** The largest width in pixels; default 10,000. */
  readonly maxWidth?: number
  /** The largest height in pixels; default 10,000. */
  readonly maxHeight?: number
}

/** The field of a file with these options. */
export type FileField<Options> = Field<
  StoredFile | NullOf<Options>,
  ShownFile | NullOf<Options>,
  Blob | NullOf<Options>,
  TraitOf<Options>
>

/**
 * A file, in a column of the type `json`. A body of the type `multipart/form-data` contains the file; in JSON, null removes it.
 * An update without the field keeps the file.
 *
 * @example
 * const fields = {
 *   invoice: file({ store: folder('data/invoices'), types: ['application/pdf'], maxSize: 5_000_000, nullable: true }),
 * }
 */
export const file = <Options extends FileOptions>(options: KnownOptions<Options, FileOptions>): FileField<Options> =>
  defineFile(fileKind, options, undefined) as FieldDefinition as FileField<Options>

/**
 * An image: a file of the type GIF, JPEG, PNG or WebP.
 *
 * @example
 * const fields = { photo: image({ store: folder('data/photos'), maxWidth: 4000, maxHeight: 4000 }) }
 */
export function image<Options extends ImageOptions>(options: KnownOptions<Options, ImageOptions>): FileField<Options> {
  const { maxWidth: width = 10_000, maxHeight: height = 10_000, types = imageTypes }: ImageOptions = options ?? {}
  return defineFile(imageKind, { ...options, types }, { width, height }) as FieldDefinition as FileField<Options>
}

function defineFile(
  kind: FieldKind,
  options: FileOptions,
  maxImage: ImageSize | undefined,
): FieldDefinition<StoredFile> {
  checkFileOptions(maxImage ? 'image()' : 'file()', options, maxImage ? imageTypes : knownTypes)
  const { store, types, maxSize = 16 * 1024 * 1024, access, signedFor = 3600, column } = options
  const rules: FileRules = {
    ...{ store, types, maxSize, maxImage },
    signedFor: access === 'signed' ? signedFor : undefined,
  }
  return defineField<StoredFile>(options, {
    kind,
    bounds: {
      max_size: maxSize,
      ...(maxImage && { max_width: maxImage.width, max_height: maxImage.height }),
    },
    file: rules,
    parse: readUpload,
    describeTaken: () => ({ type: 'string', format: 'binary' }),
    describeShown: () => fileSchema,
    show: location => showFile(location, columnReference(location, column ?? location.name), rules),
    ...(rules.signedFor !== undefined && { compute: createSign(rules.signedFor) }),
  })
}

const fileKind = Object.freeze<FieldKind>({ ...jsonKind, name: 'file upload', isJson: false })

const imageKind = Object.freeze<FieldKind>({ ...fileKind, name: 'image upload' })

const fileSchema: JsonSchema = Object.freeze({
  type: 'object',
  properties: {
    url: { type: 'string', format: 'uri' },
    name: { type: 'string' },
    type: { type: 'string' },
    size: { type: 'integer', format: 'int64' },
  },
  required: ['url', 'name', 'type', 'size'],
})

function readUpload(input: unknown): StoredFile {
  if (input instanceof UploadedFile) return input.file
  if (input instanceof ValidationError) throw input
  throw invalid('invalid.file')
}

// Node runs TypeScript without checking types.
function checkFileOptions(name: string, options: ImageOptions | undefined, known: readonly string[]): void {
  const { store, types = known, maxSize = 1, maxWidth = 1, maxHeight = 1, access, signedFor = 1 } = options ?? {}
  if (typeof store?.write !== 'function')
    throw new Error(`${name}: the option "store" is missing: write store: folder('data/files')`)
  if (!Array.isArray(types)) throw new Error(`${name}: types must be a list: write types: ['${types}']`)
  if (types.length === 0)
    throw new Error(`${name}: types is empty, so no file is accepted: list the types, or remove it`)
  const unknown = types.find(type => !known.some(each => isAccepted(each, [String(type)])))
  if (unknown !== undefined)
    throw new Error(`${name}: types: the type "${unknown}" cannot be recognized: the types are ${known.join(', ')}`)
  for (const [option, value] of Object.entries({ maxSize, maxWidth, maxHeight, signedFor }))
    if (!Number.isSafeInteger(value) || value < 1)
      throw new Error(`${name}: ${option} must be a whole number greater than 0`)
  if (access !== undefined && access !== 'permissions' && access !== 'signed')
    throw new Error(`${name}: there is no access "${access}": write "permissions" or "signed"`)
  if (options?.signedFor !== undefined && access !== 'signed')
    throw new Error(`${name}: signedFor is for signed URLs: add access: 'signed', or remove it`)
}

// Signed URLs contain a signature of the key, which `createSign` replaces.
function showFile(location: FieldLocation, column: Sql, { signedFor }: FileRules): Sql {
  const { dialect } = location
  const shown = dialect.object([
    ['url', createFileUrl(location)],
    ['name', member(column, 'name')],
    ['type', member(column, 'type')],
    ['size', showNumber(column, dialect)],
    ...(signedFor === undefined ? [] : ([['key', member(column, 'key')]] as const)),
  ])
  return dialect.json(sql`case when ${column} is not null then ${shown} end`)
}

const showNumber = (column: Sql, dialect: Dialect): Sql => dialect.json(jsonMember(column, 'size'))

function createFileUrl(location: FieldLocation): Sql {
  const { dialect, resource, table, name, fields } = location
  const identifier = findPathIdentifier(location)
  const segment = createPathSegment(dialect, identifier, column => columnReference(location, column))
  return location.createUrl(resource, segment, table, nameOnWire(name, fields[name]!))
}

const createSign =
  (signedFor: number): NonNullable<FieldDefinition['compute']> =>
  (shown, { view }: RequestContext) => {
    if (shown === null) return null
    const { url, key, ...rest } = shown as ShownFile & StoredFile
    return { url: view.fileSigner?.sign(url, key, signedFor) ?? url, ...rest }
  }
