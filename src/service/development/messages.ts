// The messages from the process that serves to the process that restarts it. In the other direction, `stopMessage` is
// sent.

import type { WatchedFile } from './file-versions.ts'

/** The server listens, so it has to be asked to stop; before, it may be killed. */
export const listeningMessage = 'listening'

/** A file was imported, or its import was attempted. */
export interface FileMessage {
  readonly file: WatchedFile
}

export const isFileMessage = (message: unknown): message is FileMessage =>
  typeof message === 'object' && message !== null && 'file' in message
