import { hash } from 'node:crypto'

/** Creates a digest of 162 bits, in the alphabet of base64url. It takes less time than a look-up by the text would take. */
export const createDigest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 27)
