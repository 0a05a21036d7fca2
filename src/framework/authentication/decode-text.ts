import { isUtf8 } from 'node:buffer'

/** Text that a client wrote without saying in which encoding: UTF-8, else Latin-1. */
export const decodeText = (bytes: Buffer): string => (isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1'))
