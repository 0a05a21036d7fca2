// The values of `in` and `range`: separated by commas, or the parameter repeated, or both. A value with a comma stands in
// quotation marks, in which a quotation mark is doubled, as in CSV (RFC 4180): `"a,b",c`. Rejects with ValidationError.

import { invalid } from '../../../errors/invalid.ts'

/** Splits the texts of a query. Empty values count only in quotation marks: forms send empty values. */
export const splitValues = (texts: readonly string[]): readonly string[] => texts.flatMap(splitText)

function splitText(text: string): readonly string[] {
  const value = /"((?:[^"]|"")*)"(?=,|$)|([^",][^,]*)?(?=,|$)/y
  const values: string[] = []
  while (value.lastIndex <= text.length) {
    const found = value.exec(text)
    if (found === null) throw invalid('invalid.quotes')
    const [, quoted, plain] = found
    if (quoted !== undefined) values.push(quoted.replaceAll('""', '"'))
    else if (plain !== undefined) values.push(plain)
    value.lastIndex++
  }
  return values
}
