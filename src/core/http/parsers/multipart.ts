// Bodies of HTML forms, `multipart/form-data` (RFC 7578), parsed by `Response.formData`. Files are rejected;
// `withFiles` and `multipartStream` accept them.

import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import type { FormParserOptions } from './form.ts'
import { createMultipartError } from './multipart-error.ts'
import type { FileLimits, Parser } from './parser.ts'
import { readBytes } from './read-body.ts'
import { uploadParser } from './upload.ts'

export function multipartParser({ limit = 4 * 1024 * 1024, maxFields = 1000 }: FormParserOptions = {}): Parser {
  return Object.freeze({
    mediaType: 'multipart/form-data',
    async parse(request: FastifyRequest) {
      const body = await readBytes(request, limit)
      const fields = [...(await parseFields(body, request.headers['content-type']!))]
      if (fields.length > maxFields) throw createMultipartError('too many fields')
      const form = new URLSearchParams(fields.map(toTextField))
      if (!isUtf8(body)) throw createMultipartError('the body is not valid UTF-8')
      return { kind: 'form', form } as const
    },
    withFiles: (files: FileLimits) => uploadParser({ limit, maxFields, files }),
  })
}

type FormDataEntry = ReturnType<FormData['get']>

async function parseFields(body: Buffer, contentType: string): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch {
    throw createMultipartError('the body does not match its boundary')
  }
}

function toTextField([name, value]: [string, FormDataEntry]): [string, string] {
  if (typeof value !== 'string') throw createMultipartError('files are not accepted here')
  return [name, value]
}
