import { isUtf8 } from 'node:buffer'

/** Decodes text of unknown encoding: UTF-8, else Latin-1. */
export const decodeText = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1'))
