import type { FileRules } from '../files/file-rules.ts'
import type { Fields } from './field.ts'

/** The field of a file, and its name. */
export type NamedFile = readonly [name: string, rules: FileRules]

/** The fields of files that a resource stores. */
export const listFileFields = (fields: Fields): readonly NamedFile[] =>
  Object.entries(fields).flatMap(([name, { file, storage }]) =>
    file !== undefined && storage.kind === 'column' ? [[name, file] as const] : [],
  )
