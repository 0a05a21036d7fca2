import { randomBytes } from 'node:crypto'

/** Creates the key of a new file, which no file has, and which nobody can guess. */
export const createFileKey = (): string => randomBytes(20).toString('hex')

/** Whether the text is the key of a file. A store may also have other files, which are left alone. */
export const isFileKey = (text: string): boolean => /^[0-9a-f]{40}$/.test(text)
