import type { Secret } from '../../base/secret.ts'
import type { FileRules } from '../../http/files/file-rules.ts'
import type { Fields } from '../field.ts'
import { hasColumn } from '../storage.ts'

/** The field of a file, and its name. */
export type NamedFile = readonly [name: string, rules: FileRules]

/** The fields of files that a resource stores. */
export const listFileFields = (fields: Fields): readonly NamedFile[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.file !== undefined && hasColumn(field) ? [[name, field.file] as const] : [],
  )

/** Throws if a field shows signed URLs without a secret to sign them. */
export function checkSigned(resource: string, files: readonly NamedFile[], secret: Secret | undefined): void {
  const signed = files.find(([, { signedFor }]) => signedFor !== undefined)
  if (signed !== undefined && secret === undefined)
    throw new Error(
      `resource "${resource}": field "${signed[0]}": access "signed" needs the option "secret" of the API`,
    )
}
