// Validates values by the schemas in a document, with Ajv. Only loaded where responses are checked.

import type { SchemaValidateFunction } from 'ajv'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import { fullFormats } from 'ajv-formats/dist/formats.js'
import { formatPointer } from './json-pointer.ts'

/** Returns the differences between a value and a schema, such as `/items/0/price must be string`; none if it is valid. */
export type Validate = (value: unknown) => readonly string[]

/** Finds the schema at a path of members and indexes in the document. Throws for an invalid schema. */
export type FindValidator = (path: readonly (string | number)[]) => Validate

const documentId = 'openapi:document'

/**
 * Creates the validators of the schemas in a document. A format is checked if a text of the service always has it; `email`
 * and `uri` only tell what a text is for, because fields also accept characters beyond ASCII (JSON Schema 2020-12 §7.2.1).
 */
export function createSchemaValidator(document: object): FindValidator {
  // The document is not a schema itself, and the schemas in it are checked when they are compiled.
  const ajv = new Ajv2020({
    ...{ strict: false, allErrors: true, formats, validateFormats: true },
    ...{ validateSchema: false, ownProperties: true, logger: false },
  })
  ajv.addSchema(document, documentId)
  referLater(ajv, document)
  return path => {
    const validate = ajv.getSchema(`${documentId}#${encodeURI(formatPointer(path))}`)
    if (validate === undefined) throw new Error(`the document has no schema at ${formatPointer(path)}`)
    return value => (validate(value) ? [] : (validate.errors ?? []).map(formatError))
  }
}

// Ajv compiles a schema together with all that it refers to, which overflows the stack if hundreds of components refer to each
// other. Here, a reference is compiled when a value is first validated by it.
function referLater(ajv: Ajv2020, document: object): void {
  // The keywords for members that nothing else has evaluated need Ajv's own references.
  if (JSON.stringify(document).includes('"unevaluated')) return
  const follow: SchemaValidateFunction = (reference: string, data: unknown, _schema, place) => {
    const validate = ajv.getSchema(documentId + reference)
    if (validate === undefined) throw new Error(`the document has no schema at ${reference}`)
    const isValid = validate(data, place) as boolean
    follow.errors = validate.errors ?? []
    return isValid
  }
  ajv.removeKeyword('$ref')
  ajv.addKeyword({ keyword: '$ref', schemaType: 'string', errors: true, validate: follow })
}

const { date, uuid, int32, int64, double, 'date-time': dateTime } = fullFormats
const hints = ['email', 'idn-email', 'uri', 'uri-reference', 'binary', 'decimal', 'time-local', 'password']
const formats = {
  ...{ date, uuid, int32, int64, double, 'date-time': dateTime },
  ...Object.fromEntries(hints.map(name => [name, true as const])),
}

const formatError = ({ instancePath, message, params }: ErrorObject): string =>
  `${instancePath || 'the value'} ${message}${Object.keys(params).length === 0 ? '' : ` ${JSON.stringify(params)}`}`
