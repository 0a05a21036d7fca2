import { hash } from 'node:crypto'

/** Computes the digest of a text, in the alphabet of base64url: 162 bits of SHA-256, so nobody can find two texts with the same one. */
export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 27)
