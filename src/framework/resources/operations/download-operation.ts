// Describes the URL of a file.

import type { FileRules } from '../../files/file-rules.ts'
import type { DescribeOperation } from '../../openapi/described-operation.ts'
import type { Parameter } from '../../openapi/openapi-types.ts'
import { createParameter } from '../../openapi/query-parameters.ts'
import type { ResourceLocation } from '../resource-location.ts'
import { rangeParameter, readConditions } from './header-parameters.ts'
import { findNames, nameOperation } from './operation-names.ts'
import { describePath } from './path-parameters.ts'

/** Describes a GET of a file; `segment` is the last part of its path. */
export const describeDownload =
  (location: ResourceLocation, segment: string, { store, signedFor }: FileRules): DescribeOperation =>
  () => ({
    ...nameOperation('download', `${findNames(location).one} ${segment}`),
    path: describePath(location, 'object'),
    parameters: [...(signedFor === undefined ? [] : signatureParameters), ...readConditions, rangeParameter],
    responses: {
      ...(store.createUrl === undefined
        ? {
            200: { description: 'The file.', isFile: true, headers: ['ETag', 'Content-Disposition'] },
            206: { description: 'A part of the file.', isFile: true, headers: ['ETag', 'Content-Range'] },
          }
        : { 302: { description: 'The file is at another URL.', headers: ['Location'] } }),
      304: { description: 'The file has not changed.', headers: ['ETag'] },
      ...(store.createUrl === undefined && {
        416: { description: 'The file has no such part.', headers: ['Content-Range'] },
      }),
    },
    errors: { usesDatabase: true },
  })

// They are a part of the URLs in responses.
const signatureParameters: readonly Parameter[] = [
  createParameter('expires', { type: 'integer' }, { description: 'The end of a signed URL, in seconds since 1970.' }),
  createParameter('signature', { type: 'string' }, { description: 'The signature of a signed URL.' }),
]
