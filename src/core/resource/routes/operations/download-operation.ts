// Describes the URL of a file.

import type { Parameter } from '../../../describe/openapi-types.ts'
import type { FileRules } from '../../../http/files/file-rules.ts'
import { documentMessages } from '../../../messages/document-messages.ts'
import type { DescribeOperation } from '../../../view/describe/described-operation.ts'
import { createParameter } from '../../../view/describe/query-parameters.ts'
import type { ResourceLocation } from '../../bind/resource-location.ts'
import { rangeParameter, readConditions } from './header-parameters.ts'
import { findNames, nameOperation, namePart } from './operation-names.ts'
import { describePath } from './path-parameters.ts'
import { readPreconditionErrors } from './shared-responses.ts'

/** Describes a GET of a file; `segment` is the last part of its path. */
export const describeDownload =
  (location: ResourceLocation, segment: string, { store, signedFor }: FileRules): DescribeOperation =>
  () => ({
    ...nameFile(location, segment),
    path: describePath(location, 'object'),
    parameters: [...(signedFor === undefined ? [] : signatureParameters), ...readConditions, rangeParameter],
    responses: {
      ...(store.createUrl === undefined
        ? {
            200: {
              description: documentMessages('document.file'),
              isFile: true,
              headers: ['ETag', 'Content-Disposition'],
            },
            206: {
              description: documentMessages('document.file_part'),
              isFile: true,
              headers: ['ETag', 'Content-Range'],
            },
          }
        : { 302: { description: documentMessages('document.file_elsewhere'), headers: ['Location'] } }),
      304: { description: documentMessages('document.file_unchanged'), headers: ['ETag'] },
      ...(store.createUrl === undefined && {
        416: { description: documentMessages('document.no_file_part'), headers: ['Content-Range'] },
      }),
    },
    errors: { statuses: readPreconditionErrors, usesDatabase: true },
  })

function nameFile(location: ResourceLocation, segment: string) {
  const { one } = findNames(location)
  return nameOperation('download', namePart(`${one.name} ${segment}`, one, segment))
}

// They are a part of the URLs in responses.
const signatureParameters: readonly Parameter[] = [
  createParameter('expires', { type: 'integer' }, { description: documentMessages('document.expires') }),
  createParameter('signature', { type: 'string' }, { description: documentMessages('document.signature') }),
]
