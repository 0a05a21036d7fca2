import { hash } from 'node:crypto'

/** A digest of 162 bits, in the alphabet of base64url. SHA-256 of an object takes half a microsecond. */
export const createDigest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 27)
