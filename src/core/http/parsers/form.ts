// Bodies of HTML forms, `application/x-www-form-urlencoded` (WHATWG URL §5).

import type { FastifyRequest } from 'fastify'
import { ParseError } from '../../errors/exceptions.ts'
import { frameworkMessages } from '../../messages/english.ts'
import type { Parser } from './parser.ts'
import { createEncodingError, readText } from './read-body.ts'

export interface FormParserOptions {
  /** The largest body in bytes; default 4 MiB. */
  readonly limit?: number
  /** The maximum number of fields; default 1000. */
  readonly maxFields?: number
}

const prefix = 'Form parse error'

export function formParser({ limit = 4 * 1024 * 1024, maxFields = 1000 }: FormParserOptions = {}): Parser {
  return Object.freeze({
    mediaType: 'application/x-www-form-urlencoded',
    async parse(request: FastifyRequest) {
      const text = await readText(request, limit, prefix)
      checkEscapes(text)
      const form = new URLSearchParams(text)
      if (form.size > maxFields) throw new ParseError(frameworkMessages('parse_error.form_fields'))
      return { kind: 'form', form } as const
    },
  })
}

// URLSearchParams would decode invalid UTF-8 to U+FFFD, and so lose data.
function checkEscapes(text: string): void {
  try {
    decodeURIComponent(text.replace(/%(?![0-9a-f]{2})/gi, '%25'))
  } catch {
    throw createEncodingError(prefix)
  }
}
