import type { DatabaseSync } from 'node:sqlite'
import type { AnnouncementTransport } from '../announcements.ts'

/** Milliseconds between two looks at the version of the file, which changes with each commit of another connection. */
const interval = 50

/** Hears of the commits of other processes by the version of the file. Nothing has to be sent. */
export const createSqliteTransport = (handle: DatabaseSync): AnnouncementTransport => ({
  receive(hear) {
    const statement = handle.prepare('pragma data_version')
    const readVersion = () => statement.get()?.data_version
    let version = readVersion()
    const timer = setInterval(() => {
      if (!handle.isOpen) return clearInterval(timer)
      const newest = readVersion()
      if (newest === version) return
      version = newest
      hear()
    }, interval).unref()
    return async () => clearInterval(timer)
  },
})
